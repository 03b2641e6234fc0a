package traffic

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/record/history"
)

// look is a look at a subject, to find out whether it is quiet.
type look struct {
	now      time.Time
	ready    bool
	recorder *history.Recorder
	query    history.Query // of its requests
	// unchanged is when the last write that had an effect was answered.
	unchanged time.Time
	// round is when the last request was answered that the subject had not sent since that
	// write. A reconcile that finds nothing to do sends the same requests each time. So the
	// first of each sort may be on the way to a write, and one that is sent again is not.
	round time.Time
}

// lookAt looks at the subject of a query.
func lookAt(recorder *history.Recorder, query history.Query, ready bool, now time.Time) look {
	l := look{now: now, ready: ready, recorder: recorder, query: query}
	query.Match.Verbs = []string{history.VerbCreate, history.VerbUpdate, history.VerbDelete}
	l.unchanged = lastEffective(recorder.Requests(query), now)
	query.Match.Verbs = append(query.Match.Verbs, history.VerbGet, history.VerbList)
	query.Since = l.unchanged
	l.round = later(l.unchanged, lastNew(recorder.Requests(query), now))
	return l
}

// lastEffective returns when the last write with an effect was answered. A write without
// an answer yet may have an effect, so it counts as made now.
func lastEffective(writes []history.Request, now time.Time) time.Time {
	var last time.Time
	for _, w := range writes {
		if !w.Finished || w.Effect == history.EffectEffective {
			last = later(last, answered(w, now))
		}
	}
	return last
}

// sort is a sort of request, with its result.
type sort struct {
	replica, verb     string
	resource          schema.GroupResource
	subresource       string
	namespace, object string
	effect            history.Effect
}

// lastNew returns when the last request was answered that was the first of its sort.
func lastNew(requests []history.Request, now time.Time) time.Time {
	var last time.Time
	known := map[sort]bool{}
	for _, r := range requests {
		one := sort{r.Replica, r.Verb, r.GroupResource(), r.Subresource, r.Namespace, r.Name, r.Effect}
		if r.Verb != history.VerbWatch && !known[one] {
			known[one], last = true, later(last, answered(r, now))
		}
	}
	return last
}

// answered returns when a request was answered. If a write has no answer yet, that is now.
// A read without an answer counts only when it is sent: a Fault may hold it for ever.
func answered(r history.Request, now time.Time) time.Time {
	switch {
	case r.Finished:
		return r.End()
	case r.IsWrite():
		return now
	}
	return r.Time
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// calm says whether a subject has been quiet for a while.
type calm int

const (
	notYet calm = iota
	calmNow
	neverCalm // not in time
)

// calm says whether a ready subject has been quiet since a time, for as long as lasts.
// patience is how long it may take until it changes nothing any more. Then it may come
// round once more, and while it waits for answers to that, no time passes. If it never
// comes round, it counts as quiet all the same, because it changes nothing.
func (m *measurement) calm(l look, since time.Time, lasts, patience time.Duration) calm {
	quiet := func(at time.Time) bool { return l.ready && l.now.Sub(later(since, at)) >= lasts }
	took := l.now.Sub(m.created)
	switch {
	case quiet(l.round):
		return calmNow
	case took <= patience:
		return notYet
	case quiet(l.unchanged):
		m.onItsRound = true
	}
	switch {
	case m.onItsRound && took <= min(history.Stretched(patience, l.recorder.Requests(l.query), m.created, l.now), patience+m.giveUp/2):
		return notYet
	case quiet(l.unchanged):
		return calmNow
	}
	return neverCalm
}
