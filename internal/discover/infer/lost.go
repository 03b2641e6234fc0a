package infer

import (
	"strings"

	"reconform.dev/reconform/internal/record/history"
)

// doubtLost says what the controller did not repair: a child that somebody deleted, and a
// child that stayed when its object was deleted.
func (f *finder) doubtLost() {
	if act, ok := f.act(Lose); ok && !f.Made(act) {
		before := f.Film.At(act.After)
		if !finished(before[f.mainIn(before, act.Object)]) {
			f.doubt("contract.children.deployment", "the %s of %s was deleted, and did not come back while init looked. SH-001 judges that", f.workload.Kind, act.Object)
		}
	}
	if act, ok := f.act(Unserve); ok && len(ofKind(f.madeDuring(act), "Service")) == 0 {
		f.doubt("contract.children.service", "the Service of %s was deleted, and did not come back while init looked. SH-002 judges that", act.Object)
	}
	deleted, ok := f.act(Delete)
	if !ok || f.Polls() && f.looksAfter(deleted) < 2 {
		return
	}
	before, stayed := f.Film.At(deleted.After)[f.main], f.Film.Last()[f.main]
	held := f.Film.Last()[Ref{f.Kind, deleted.Object}]
	switch {
	case before == nil || stayed == nil || before.GetUID() != stayed.GetUID():
	case held != nil && held.GetDeletionTimestamp() != nil:
		f.doubt("claims.cleanup", "%s was deleted, and neither it nor its %s went, because its finalizers stayed: %s. CD-001 judges that",
			deleted.Object, f.main, strings.Join(held.GetFinalizers(), ", "))
	default:
		f.doubt("claims.cleanup", "%s was deleted, and its %s stayed. CD-001 judges that", deleted.Object, f.main)
	}
}

// looksAfter returns how often the controller listed what it serves after an act.
func (f *finder) looksAfter(act Act) int {
	looks := 0
	for _, q := range f.Account.Requests {
		if q.Seq > act.UntilSeq && f.isPrimary(q) && q.Verb == history.VerbList && q.Succeeded() {
			looks++
		}
	}
	return looks
}
