package invariant

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// restless: no object is written again and again if nothing but times in it change.
// Such a write is an event for everyone who watches the object, and for the controller
// itself: if it wakes the controller, the controller never comes to rest. If the times
// are whole seconds, such a loop ends by chance, as soon as two writes fall into one
// second. So it is looked for everywhere, and not only where the controller must be at
// rest.
//
// The rule is about objects of the contract, and about what they own. Writes count while
// nothing else happens that is a reason to write. Each one follows the one before within a
// few seconds, and in between
//   - the bench does nothing: no step begins that prepares, and no Fault fires;
//   - the spec of the object does not change;
//   - no other write of the controller takes place, except more writes of this sort;
//   - no write of the controller fails: it may say when it tried last.
type restless struct{}

const (
	// mostEchoes is how many such writes in a row are allowed. While Pods become ready, a
	// controller may say a few times when it looked last.
	mostEchoes = 9
	// echoWithin is the longest time from the answer to one of them to the next. Many who
	// look by the clock do so every five seconds.
	echoWithin = 4500 * time.Millisecond
)

func (restless) Name() string { return v1alpha1.RuleRestless }

func (restless) Must() string {
	return "The controller does not write an object again and again if only times in it change."
}

func (restless) Hint() string {
	return "Write an object only if something other than a time in it differs from what is there: " +
		"each write is an event, and wakes whoever watches the object."
}

func (rule restless) Broken(r *View) []v1alpha1.Violation {
	proofs := r.proofs()
	var rows []echoes
	var last int64
	for _, write := range r.All {
		if !write.IsWrite() || idle(write) {
			continue
		}
		id, echo := identityOf(write), r.isEcho(write)
		over := !echo || len(rows) > 0 && r.acted(last, write.Seq)
		rows = slices.DeleteFunc(rows, func(row echoes) bool {
			end := over || row.id == id && !follows(write, row.writes[len(row.writes)-1])
			if end {
				proofs.addEchoes(row)
			}
			return end
		})
		last = write.Seq
		if !echo {
			continue
		}
		n := slices.IndexFunc(rows, func(row echoes) bool { return row.id == id })
		if n < 0 {
			n, rows = len(rows), append(rows, echoes{id: id})
		}
		rows[n].writes = append(rows[n].writes, write)
	}
	for _, row := range rows {
		proofs.addEchoes(row)
	}
	return proofs.violations(rule)
}

// echoes are writes of one object in a row that changed nothing but times.
type echoes struct {
	id     identical
	writes []*history.Request
}

// addEchoes adds the writes of one object if they are too many.
func (p *proofs) addEchoes(row echoes) {
	if len(row.writes) <= mostEchoes {
		return
	}
	first, last := row.writes[0], row.writes[len(row.writes)-1]
	whose := kind{row.id.kind.about, row.id.kind.of + row.id.namespace + row.id.name}
	for _, write := range row.writes {
		p.add(whose, write.Seq, "%s had an %s %d times in %s, though nothing else had happened, and nothing in it changed but times (%s)",
			write.Replica, told(write), len(row.writes), last.Time.Sub(first.Time).Round(slack/10), strings.Join(last.Changed, ", "))
	}
}

// isEcho says whether a write changed nothing but times in an object that the rule is
// about.
func (r *View) isEcho(write *history.Request) bool {
	_, owned := r.child(write)
	return write.OnlyTimes && write.Effect == history.EffectEffective && write.Fault == "" && (owned || r.Contract.covers(write))
}

// follows says whether a write of an object may come from the one before.
func follows(write, before *history.Request) bool {
	return write.UID == before.UID && write.Generation == before.Generation && write.Time.Sub(before.End()) <= echoWithin
}

// idle says whether a write changed nothing, so that nobody gets an event: a no-op, or
// a deletion of what is not there.
func idle(r *history.Request) bool {
	return r.Effect == history.EffectNoop || r.Verb == history.VerbDelete && r.Code == http.StatusNotFound
}

// acted says whether the bench did something between two numbers that may be a reason for
// a write.
func (r *View) acted(after, before int64) bool {
	return slices.ContainsFunc(r.Events, func(e history.Event) bool {
		return e.Seq > after && e.Seq < before && !(e.Reason == history.StepBegan && strings.HasPrefix(e.Message, "Then ")) &&
			e.Reason != history.PageServed && e.Reason != history.Exempted && e.Reason != history.StepFailed &&
			e.Reason != history.ScenarioActed // its step has begun before
	})
}
