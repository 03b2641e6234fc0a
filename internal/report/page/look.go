package page

import (
	"cmp"
	"io"
	"slices"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// look is what was recorded in one run of a scenario.
type look struct {
	part      int // number of the part in a merged run
	namespace string
	requests  []history.Request // in the order in which they began
	events    []history.Event
	unheld    int // number of requests and events that were not held, because there were too many

	spoken   []spoken // what the replicas wrote
	unspoken int      // number of these lines that were left out

	judged  bool // the result is about this look
	proving map[int64]bool
}

// mostHeld is how many requests, and how many events, of one run of a scenario are held.
const mostHeld = 20000

// collect returns the looks in a history, in the order in which they began.
func collect(from io.Reader) ([]*look, error) {
	if from == nil {
		return nil, nil
	}
	type key struct {
		part      int
		namespace string
	}
	byKey := map[key]*look{}
	var looks []*look
	err := history.Read(from, func(entry history.Entry) {
		k := key{part: entry.Part}
		if entry.Request != nil {
			k.namespace = entry.Request.Scenario
		} else {
			k.namespace = entry.Event.Scenario
		}
		l := byKey[k]
		if l == nil {
			l = &look{part: k.part, namespace: k.namespace}
			byKey[k] = l
			looks = append(looks, l)
		}
		l.add(entry)
	})
	for _, l := range looks {
		slices.SortStableFunc(l.requests, func(a, b history.Request) int { return cmp.Compare(a.Seq, b.Seq) })
		slices.SortStableFunc(l.events, func(a, b history.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return looks, err
}

func (l *look) add(entry history.Entry) {
	switch {
	case entry.Request != nil && len(l.requests) < mostHeld:
		r := *entry.Request
		r.Owners, r.StatusFields, r.Finalizers = nil, nil, nil
		l.requests = append(l.requests, r)
	case entry.Event != nil && len(l.events) < mostHeld:
		l.events = append(l.events, *entry.Event)
	default:
		l.unheld++
	}
}

// span returns the time of the first record and the end of the last one.
func (l *look) span() (from, to time.Time) {
	see := func(began, ended time.Time) {
		if from.IsZero() || began.Before(from) {
			from = began
		}
		if ended.After(to) {
			to = ended
		}
	}
	for _, r := range l.requests {
		see(r.Time, r.Time.Add(max(0, r.Duration.Duration)))
	}
	for _, e := range l.events {
		see(e.Time, e.Time)
	}
	return from, to
}

// thin keeps the requests that say most, in order, and returns how many it leaves out.
func (l *look) thin(most int) (kept []history.Request, leftOut int) {
	leftOut = l.unheld
	if len(l.requests) <= most {
		return l.requests, leftOut
	}
	var byRank [ranks][]int
	for n := range l.requests {
		rank := l.rank(&l.requests[n])
		byRank[rank] = append(byRank[rank], n)
	}
	var chosen []int
	for _, of := range byRank {
		if room := most - len(chosen); len(of) > room {
			// Among requests of one rank, the first ones say most, and the last ones show
			// how it went on.
			first := room * 3 / 4
			of = slices.Concat(of[:first], of[len(of)-(room-first):])
		}
		chosen = append(chosen, of...)
	}
	slices.Sort(chosen)
	for _, n := range chosen {
		kept = append(kept, l.requests[n])
	}
	return kept, leftOut + len(l.requests) - len(kept)
}

// ranks is the number of ranks of requests, by what they say: what proves a failure; what
// was written, refused or hit by a Fault; watches and lists; and everything else.
const ranks = 4

func (l *look) rank(r *history.Request) int {
	switch {
	case l.proving[r.Seq]:
		return 0
	case r.Verb == history.VerbCreate, r.Verb == history.VerbUpdate, r.Verb == history.VerbDelete,
		r.Failed(), r.Fault != "", r.Code == 0:
		return 1
	case r.Verb == history.VerbWatch, r.Verb == history.VerbList:
		return 2
	default:
		return 3
	}
}
