package traffic

import (
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// left returns how long the open window must stay open.
func (m *measurement) left(now time.Time, recorder *history.Recorder, query history.Query) time.Duration {
	window := m.window
	if m.spec.ExcludesWaiting {
		window = history.Stretched(window, recorder.Requests(query), m.opened, now)
	}
	return window - now.Sub(m.opened)
}

// openAtFirst opens the window at the first request that matches, or at the first effective
// write of those. It returns false if there is none yet.
func (m *measurement) openAtFirst(recorder *history.Recorder, query history.Query) bool {
	if !m.opened.IsZero() {
		return true
	}
	query.After, query.Match = max(query.After, m.after), m.spec.Match
	matching := recorder.Requests(query)
	if m.spec.Start == v1alpha1.StartEffective {
		matching = slices.DeleteFunc(matching, func(r history.Request) bool { return r.Effect != history.EffectEffective || r.Bystander })
	}
	if len(matching) == 0 {
		return false
	}
	m.opened = matching[0].Time
	return true
}

// findOrigin looks for the end of the Disruption at which the window starts, if there is
// one. It returns false if the Disruption is not done yet.
func (m *measurement) findOrigin(recorder *history.Recorder, after int64) bool {
	if m.spec.Since == "" || m.origin.Seq > 0 {
		return true
	}
	for _, e := range recorder.Events(m.namespace) {
		if e.Seq > after && e.Reason == history.DisruptionDone && e.Object == "Disruption/"+m.spec.Since {
			m.origin = e
		}
	}
	return m.origin.Seq > 0
}

// isAlive says whether the subject has sent anything. A standby may only send requests for
// its Lease; they count.
func isAlive(recorder *history.Recorder, query history.Query) bool {
	query.Everything, query.Without = true, nil
	return len(recorder.Requests(query)) > 0
}

func (m *measurement) finish(
	phase v1alpha1.TrafficPhase, now time.Time, recorder *history.Recorder, query history.Query, from time.Time,
) (v1alpha1.TrafficStatus, time.Duration) {
	after := max(query.After, m.after)
	if m.origin.Seq > 0 {
		after, from = m.origin.Seq, m.origin.Time
	}
	query.Until = now
	waitedFor := history.Waited(recorder.Requests(query), from, now)
	query.After, query.Match = after, m.spec.Match
	counted := m.requests(recorder, query)
	status := count(counted)
	m.pauses = pauses(counted)
	everything := query
	everything.Match = v1alpha1.RequestMatch{}
	behind := leftBehind(m.requests(recorder, everything), m.spec.Match)
	status.Left = int64(len(behind))
	if m.spec.Expect != nil && m.spec.Expect.Left != nil && len(behind) > 0 {
		status.Message = count(behind).Message // the other requests are none of its business
	}
	status.GapsMs = m.pauses[:min(maxGaps, len(m.pauses))]
	status.Phase = phase
	status.WaitedMs = waitedFor.Milliseconds()
	status.WindowMs = now.Sub(from).Milliseconds()
	m.watched = openWatches(recorder, query)
	for _, number := range m.watched {
		status.OpenWatches += int64(number)
	}
	var memory int64
	for _, replica := range query.Replicas {
		status.Connections += m.connections[replica]
		if m.usage != nil {
			usage := m.usage(replica)
			memory += usage.Memory
			status.Descriptors += usage.Descriptors
		}
	}
	status.MemoryMiB = memory >> 20
	m.done = &status
	if due := withoutDue(counted, recorder.Requests(history.Query{Scenario: query.Scenario, Subject: query.Subject}), after); len(due) < len(counted) {
		others := count(due)
		others.Phase, others.WaitedMs, others.WindowMs, others.OpenWatches = status.Phase, status.WaitedMs, status.WindowMs, status.OpenWatches
		others.Left = status.Left
		others.Connections, others.MemoryMiB, others.Descriptors = status.Connections, status.MemoryMiB, status.Descriptors
		m.withoutDue = &others
	}
	query.Without = nil
	if all := m.requests(recorder, query); len(all) > len(counted) {
		whole := count(all)
		whole.Phase, whole.WindowMs, whole.OpenWatches = status.Phase, status.WindowMs, status.OpenWatches
		m.whole = &whole
	}
	return status, 0
}

// requests returns the requests that count. A write to a bystander does not: the invariant
// ForeignObject judges it. If the leader changes in the window, what each replica sent as the
// leader is no request of a standby.
func (m *measurement) requests(recorder *history.Recorder, query history.Query) []history.Request {
	leads := func(history.Request) bool { return false }
	if m.spec.Target == v1alpha1.TargetStandby && m.led != nil {
		if led := m.led(); led != nil {
			query.Replicas, leads = nil, led
		}
	}
	found := slices.DeleteFunc(recorder.Requests(query), func(r history.Request) bool { return r.Bystander || leads(r) })
	return m.withoutFilling(found, recorder, query)
}
