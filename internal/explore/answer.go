package explore

import (
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// answerPlans do something else with the object while the answer to a write of it is on
// its way. The events of that come first, so the answer shows an older version of the
// object. A controller must not take it for the newest.
func answerPlans(recorded map[string]*Recording, r *Recording, others []Other, own v1alpha1.TrialTarget) []*Plan {
	var all []*Plan
	for _, w := range r.Writes {
		if w.Resource != own.Resource || w.Name != own.Name || w.Verb == history.VerbDelete {
			continue
		}
		one := *r
		one.Writes = []Write{w}
		for _, plan := range meanwhilePlans(recorded, &one, others) {
			plan.Sort = "late-answer" + strings.TrimPrefix(plan.Sort, "meanwhile")
			plan.Point = onItsWay + w.InWords() + " is on its way"
			plan.Disturb.AnswerWaits = true
			plan.Disturb.At.Occurrence = w.Effective
			all = append(all, plan)
		}
	}
	return all
}

// onItsWay is how the point of an answer begins.
const onItsWay = "while the answer to "
