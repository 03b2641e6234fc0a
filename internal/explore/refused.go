package explore

import (
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// refusedPlans refuse all writes of one verb, and restart the controller meanwhile. What is
// still to do, the new process must find out from the objects: it has no queue of the process
// before, and nothing was made whose event could wake it. The status may already tell of the
// generation, because the refusal was reported.
func refusedPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	var all []*Plan
	for _, o := range operations {
		r, restarted := recorded[o.Name], restartedRecording(recorded, o)
		if r == nil || restarted == nil || slices.Contains([]string{"restart", "failover"}, o.sort()) {
			continue
		}
		for _, verb := range r.verbs() {
			if restart := recorded["restart"]; restart != nil && slices.Contains(restart.verbs(), verb) {
				continue // some controllers end if they cannot make a write that they need at their start
			}
			plan := restarted.plan("refused-restart", "all", "at every "+verb, "it is answered with 403 until the controller has been restarted and is quiet")
			plan.Disturb = &v1alpha1.TrialDisturbance{
				From: int32(len(restarted.Steps) - 1), At: v1alpha1.TrialPoint{Verb: verb, Subresource: "-"},
				Fault:   &v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: http.StatusForbidden, Reason: string(metav1.StatusReasonForbidden)}},
				Lasting: true,
			}
			all = append(all, plan)
		}
	}
	return all
}

// verbs are those of the writes of whole objects in a recording, in a fixed order.
func (r *Recording) verbs() []string {
	return slices.DeleteFunc([]string{history.VerbCreate, history.VerbUpdate, history.VerbDelete}, func(verb string) bool {
		return !slices.ContainsFunc(r.Writes, func(w Write) bool { return w.Verb == verb && w.Subresource == "" })
	})
}
