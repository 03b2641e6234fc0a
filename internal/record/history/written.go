package history

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// WrittenObjects returns the UIDs of the objects of a resource that the replicas of a
// scenario wrote with an effect.
func (r *Recorder) WrittenObjects(scenario string, resource schema.GroupResource) map[types.UID]bool {
	written := map[types.UID]bool{}
	for _, q := range r.Requests(Query{Scenario: scenario, Match: v1alpha1.RequestMatch{
		Verbs: []string{VerbCreate, VerbUpdate}, Resources: []string{resource.String()},
	}}) {
		if q.Effect == EffectEffective && q.UID != "" {
			written[q.UID] = true
		}
	}
	return written
}
