package infer

import (
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
)

// raised are the writes by which the controller raised the generation of its own objects:
// the most after one deed to one object, and the first of them.
type raised struct {
	most  int
	first history.Request
}

// raises returns the writes by which the controller raised the generation of its own objects.
// After a patch it is not certain who raised it, unless that happens to an object twice.
func (r *Record) raises() raised {
	var found raised
	patches := map[types.UID]int{}
	for _, act := range r.Acts {
		count := map[types.UID]int{}
		for _, q := range r.during(act) {
			if !r.isPrimary(q) || q.Verb != history.VerbUpdate || q.Subresource != "" || q.OnlyMetadata || q.Effect != history.EffectEffective ||
				q.GenerationBefore == 0 || q.Generation <= q.GenerationBefore {
				continue
			}
			if q.Method == http.MethodPatch {
				if patches[q.UID]++; patches[q.UID] < 2 {
					continue
				}
			}
			if count[q.UID]++; count[q.UID] > found.most {
				found.most, found.first = count[q.UID], q
			}
		}
	}
	return found
}

// askGeneration asks whether the controller is meant to raise the generation of its own
// objects. That breaks an invariant. A controller that writes defaults into the spec does so
// once, and the profile may declare that; init does not, because it may be a mistake.
func (f *finder) askGeneration() {
	found := f.raises()
	if found.most == 0 {
		return
	}
	q := found.first
	what := fmt.Sprintf("it raised the generation of %s itself, from %d to %d, by %s%s",
		q.Name, q.GenerationBefore, q.Generation, q.InWords(), q.SpecInWords())
	if found.most > 1 {
		f.ask("claims.exempt", "%s, and did so %d times after one change: ST-003 judges that, and no exemption is due, as defaults are written once", what, found.most)
		return
	}
	line := fmt.Sprintf("exempt: [{verbs: [update], resources: [%s], invariants: [GenerationRaised], why: it writes defaults into the spec}]", q.GroupResource())
	f.offer("claims.exempt", []string{line}, "%s. ST-003 fails by that, as the spec is its user's. Is it meant?", what)
}
