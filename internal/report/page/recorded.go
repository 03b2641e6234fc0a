package page

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// add adds what was recorded. Each look goes to the entry that it is about. If that entry
// was accused, the replicas' logs are added too.
func (v *view) add(looks []*look, recorded Recorded) {
	t, words := newTexts(), newTexts()
	v.Recorded.History = recorded.History != nil
	v.data = data{Looks: map[string][]drawable{}, Times: times(v.Report.Claims.Times)}
	byEntry := map[*entry][]*look{}
	accused := 0
	for _, l := range looks {
		v.Recorded.Requests += len(l.requests) + l.unheld
		e := v.entryOf(l)
		if e == nil || e.Earlier {
			continue
		}
		l.attach(e.Result)
		byEntry[e] = append(byEntry[e], l)
		if e.NeedsLook() {
			accused++
		}
	}
	for _, e := range v.entries {
		e.tellRendered(recorded.Logs)
		slices.SortStableFunc(byEntry[e], byJudged)
		for _, l := range byEntry[e] {
			most := mostOthers
			if e.NeedsLook() {
				most = share(accused)
			}
			if e.NeedsLook() && l.judged && e.Result.Evidence != nil {
				l.speak(recorded.Logs, e.Result.Evidence.Logs, linesEach(accused))
			}
			d := t.drawable(l, most)
			d.Log, d.Unspoken = t.log(l, words), l.unspoken
			v.Recorded.Shown += len(d.Requests)
			v.data.Looks[e.Anchor] = append(v.data.Looks[e.Anchor], d)
			e.Looks = true
		}
	}
	v.Recorded.LeftOut = max(0, v.Recorded.Requests-v.Recorded.Shown)
	v.data.Text, v.data.Words = t.list, words.list
}

// own matches the parts of a namespace that identify it: the ID of a requirement, and the
// round. A second look has a namespace of its own, and so has one that waits to the end.
var own = regexp.MustCompile(`^reconform-(?:.*-)?([a-z]{2}-\d{3})(?:-r(\d+))?(?:-again|-waiting)?$`)

// entryOf returns the entry that a look is about: the entry whose evidence names the
// namespace, or whose ID is in it. It returns nil if there is none.
func (v *view) entryOf(l *look) *entry {
	id := own.FindStringSubmatch(l.namespace)
	for _, e := range v.entries {
		r := e.Result
		samePart := len(v.Report.Parts) == 0 || r.Part == l.part || r.Part == 0
		switch {
		case !samePart:
		case r.Evidence != nil && r.Evidence.Namespace == l.namespace,
			id != nil && id[1] == strings.ToLower(r.ID) && (id[2] == "" || id[2] == strconv.Itoa(max(1, r.Repeat))):
			return e
		}
	}
	return nil
}

// numbered matches the requests in a reason.
var numbered = regexp.MustCompile(`#(\d+)\b`)

// attach sets what the result says about a look.
func (l *look) attach(r *v1alpha1.Result) {
	l.proving = map[int64]bool{}
	l.judged = r.Evidence == nil || r.Evidence.Namespace == "" || r.Evidence.Namespace == l.namespace
	if r.Evidence == nil || !l.judged {
		return
	}
	for _, m := range numbered.FindAllStringSubmatch(r.Reason, -1) {
		if seq, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			l.proving[seq] = true
		}
	}
	for _, violation := range r.Evidence.Violations {
		for _, seq := range violation.Requests {
			l.proving[seq] = true
		}
	}
}

// times returns the times that the profile declares, in seconds.
func times(declared v1alpha1.Times) map[string]float64 {
	all := map[string]float64{"longestRetryPause": declared.Retries().Longest.Seconds()}
	if lease := declared.Lease; lease != nil {
		all["lease"] = lease.Duration.Seconds()
	}
	return all
}
