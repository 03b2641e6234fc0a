package traffic

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/record/history"
)

// measurement is the state of one Traffic. Only step changes it, at the time that its
// caller gives.
type measurement struct {
	namespace string
	uid       types.UID
	spec      v1alpha1.TrafficSpec
	claims    v1alpha1.Claims
	workload  string        // the resource of the Deployments, or of what is made instead
	quiet     time.Duration // how long there must be no effective write to be quiet
	untold    time.Duration // the same if the next resync may still change something, if longer
	longest   time.Duration // the longest quiet that was asked for until now
	window    time.Duration // how long the window is at least
	patience  time.Duration // how long the subject may take to become quiet, or to begin
	giveUp    time.Duration // how long the measurement waits beyond that
	created   time.Time
	// createdAfter is the number of the last request or event before it was created.
	createdAfter int64

	mu     sync.Mutex
	origin history.Event // the end of the Disruption at which the window starts
	opened time.Time     // zero until the window opens
	ran    time.Time     // when a Job of the subject ran last; zero if none was seen
	// onItsRound is true if, when the patience was over, the subject changed nothing any
	// more, but had not come round yet.
	onItsRound bool
	after      int64
	// connections are the open connections of each replica at this step.
	connections map[string]int64
	// usage measures the processes of a replica. It is nil if that is not possible.
	usage func(replica string) sandbox.Usage
	// led tells whether a replica sent a request as the leader. It is nil if that is not known.
	led func() func(history.Request) bool
	// watched are the open watches at the end, by what they watch.
	watched map[string]int
	pauses  []int64 // between the requests that matched, in milliseconds
	// whole are the numbers including the exempt requests. It is nil if no request that
	// matches is exempt.
	whole *v1alpha1.TrafficStatus
	// withoutDue are the numbers without writes that were due since before the window. It is
	// nil if there is no such write.
	withoutDue *v1alpha1.TrafficStatus
	done       *v1alpha1.TrafficStatus
}

// countsAtRest says whether the measurement counts changes of a subject that is at rest, and has
// not begun yet.
func (m *measurement) countsAtRest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	expect := m.spec.Expect
	return m.spec.Start == v1alpha1.StartQuiet && m.opened.IsZero() && expect != nil && (expect.Effective != nil || expect.Changing != nil)
}

// jobRan notes that a Job of the subject runs.
func (m *measurement) jobRan(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ran = now
}

// step continues the measurement. It returns the status, and how soon to call step again;
// 0 means that it is done.
func (m *measurement) step(
	now time.Time, recorder *history.Recorder, subject *subject.Running,
) (v1alpha1.TrafficStatus, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done != nil {
		return *m.done, 0
	}
	if subject == nil {
		return m.waiting(now, "there is no Subject in this namespace")
	}
	m.connections, m.usage, m.led = subject.Connections, subject.Usage, subject.Led
	replicas, unknown := subject.Resolve(m.spec.Target)
	if unknown != "" {
		return m.waiting(now, unknown)
	}
	query := history.Query{
		Scenario: m.namespace, Subject: subject.Name, Replicas: replicas, After: subject.After, Without: m.claims.Exempt,
	}
	if !isAlive(recorder, query) {
		return m.waiting(now, "no request of the subject was seen yet")
	}
	if !m.findOrigin(recorder, subject.After) {
		return m.waiting(now, "disruption "+m.spec.Since+" is not done yet")
	}
	switch m.spec.Start {
	case v1alpha1.StartSince:
		return m.stepSince(lookAt(recorder, query, subject.Ready, now))
	case v1alpha1.StartQuiet:
		if m.opened.IsZero() {
			seen := lookAt(recorder, query, subject.Ready, now)
			lasts := m.quietLasts(seen)
			m.longest = max(m.longest, lasts)
			switch m.calm(seen, later(m.created, m.ran), lasts, m.patience+twoLooks(m.longest-m.quiet)) {
			case neverCalm:
				return m.finish(v1alpha1.TrafficNeverQuiet, now, recorder, query, m.created)
			case notYet:
				return m.waiting(now, "the subject is not quiet yet")
			}
			m.opened, m.after = now, recorder.LastSeq()
		}
	case v1alpha1.StartFirst, v1alpha1.StartEffective:
		m.after = m.createdAfter
		if !m.openAtFirst(recorder, query) {
			// While the subject waits for the API server, it cannot send one.
			if now.Sub(m.created) > history.Stretched(m.patience, recorder.Requests(query), m.created, now) {
				return m.finish(v1alpha1.TrafficComplete, now, recorder, query, m.created)
			}
			return measuring("no request that matches was seen yet"), objects.Recheck
		}
	case v1alpha1.StartNow:
		if m.opened.IsZero() {
			m.opened, m.after = now, m.createdAfter
		}
	}
	if left := m.left(now, recorder, query); left > 0 {
		return measuring("the window is open"), left
	}
	return m.finish(v1alpha1.TrafficComplete, now, recorder, query, m.opened)
}

// waiting returns the status of a measurement whose window has not opened yet. It is Invalid
// if that takes too long.
func (m *measurement) waiting(now time.Time, message string) (v1alpha1.TrafficStatus, time.Duration) {
	status := v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficWaiting, Verdict: v1alpha1.JudgementPending, Message: message}
	if now.Sub(m.created) > m.giveUp+m.patience {
		status.Verdict = v1alpha1.JudgementInvalid
	}
	return status, objects.Recheck
}

func measuring(message string) v1alpha1.TrafficStatus {
	return v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficMeasuring, Message: message}
}

// result returns the numbers of a finished measurement. It returns false if the
// measurement is not finished, or if there is none.
func (m *measurement) result() (v1alpha1.TrafficStatus, bool) {
	if m == nil {
		return v1alpha1.TrafficStatus{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done == nil {
		return v1alpha1.TrafficStatus{}, false
	}
	return *m.done, true
}

// quietLasts returns how long there must be no effective write to be quiet. A subject that
// does not watch its workload looks at it at the next resync. So does a subject that was
// shown a change of its workload, and wrote nothing since: a predicate may have kept the
// change from its reconcile.
func (m *measurement) quietLasts(seen look) time.Duration {
	if m.untold <= m.quiet {
		return m.quiet
	}
	query := seen.query
	query.Match.Verbs, query.Match.Resources = []string{history.VerbWatch}, []string{m.workload}
	watches := slices.ContainsFunc(seen.recorder.Requests(query), history.Request.Watching)
	if watches && !m.unanswered(seen) {
		return m.quiet
	}
	return m.untold
}

// twoLooks returns how much longer a subject may take to become quiet, if its quiet lasts so
// much longer than usual: its next look may still change something, and the quiet begins after
// that.
func twoLooks(longer time.Duration) time.Duration { return 2 * longer }

// unanswered says whether the subject was shown a change of its workload that somebody else
// made, and has written nothing with an effect since.
func (m *measurement) unanswered(seen look) bool {
	query := seen.query
	query.Match.Verbs = []string{history.VerbCreate, history.VerbUpdate}
	query.Match.Resources = []string{m.workload}
	own := map[string]bool{}
	for _, write := range seen.recorder.Requests(query) {
		own[write.ResourceVersion] = true
	}
	return slices.ContainsFunc(seen.recorder.Sightings(m.namespace, m.workload), func(s history.Sighting) bool {
		return s.At.After(seen.unchanged) && !own[s.ResourceVersion]
	})
}

// stepSince counts from the start of the Subject until it has been ready and quiet for the
// whole window. If the next resync may still change something, it waits for that, too.
func (m *measurement) stepSince(seen look) (v1alpha1.TrafficStatus, time.Duration) {
	if !seen.ready {
		m.opened = time.Time{}
	} else if m.opened.IsZero() {
		m.opened = seen.now
	}
	lasts := m.window
	if untold := m.quietLasts(seen); untold > m.quiet {
		lasts = max(lasts, untold)
	}
	m.longest = max(m.longest, lasts)
	switch m.calm(seen, m.opened, lasts, m.patience+m.window+twoLooks(m.longest-m.window)) {
	case calmNow:
		return m.finish(v1alpha1.TrafficComplete, seen.now, seen.recorder, seen.query, m.created)
	case neverCalm:
		return m.finish(v1alpha1.TrafficNeverQuiet, seen.now, seen.recorder, seen.query, m.created)
	}
	return measuring("waiting for the subject to be ready and quiet"), objects.Recheck
}
