package explore

import (
	"encoding/json"
	"errors"
	"path"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// whileOpen begins the name of a point: something else is done while a write is open.
const whileOpen = "while it waits for the answer to "

// Other is an operation that somebody does meanwhile.
type Other struct {
	Name, How string
	Step      v1alpha1.TrialOperation
}

// meanwhilePlans do something else while each write is open.
func meanwhilePlans(recorded map[string]*Recording, r *Recording, others []Other) []*Plan {
	var all []*Plan
	for _, other := range others {
		both := recorded[r.Name+" then "+other.Name]
		if both == nil {
			continue
		}
		for n, w := range r.Writes {
			plan := r.plan("meanwhile-"+other.Name, w.kind(), whileOpen+w.InWords(), other.How)
			plan.Undisturbed = *both.Undisturbed.DeepCopy()
			if other.Step.Delete != nil {
				plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, unmade(r.Writes[n:], plan.Undisturbed.Objects)...)
			}
			if create := recorded["create"]; other.Step.Recreate != nil && create != nil {
				plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, survived(create.Undisturbed.Objects, plan.Undisturbed.Objects)...)
			}
			plan.Undisturbed.Deletions = append(plan.Undisturbed.Deletions, r.Undisturbed.Deletions...)
			plan.Undisturbed.Harms = append(plan.Undisturbed.Harms, r.Undisturbed.Harms...)
			plan.Undisturbed.Writes += r.Undisturbed.Writes
			plan.Disturb = &v1alpha1.TrialDisturbance{At: w.at(), Meanwhile: other.Step.DeepCopy()}
			all = append(all, plan)
		}
	}
	return all
}

// unmade returns masks for objects that are there although the controller's object was
// deleted, and that are created by these writes. If the deletion comes before these
// writes, the objects are never created, and that is right, too.
func unmade(writes []Write, outcome string) []v1alpha1.TrialMask {
	var there map[string]any
	if json.Unmarshal([]byte(outcome), &there) != nil {
		return nil
	}
	var all []v1alpha1.TrialMask
	for _, w := range writes {
		object := w.Resource + " " + w.Name
		for key := range there {
			if matches, err := path.Match(object, key); err == nil && matches && w.Verb == history.VerbCreate && w.Subresource == "" {
				all = append(all, v1alpha1.TrialMask{Object: object})
				break
			}
		}
	}
	return all
}

// survived returns masks for what differs between the outcome of a creation, and that
// of a second creation after a deletion. If something of the first object stays and the
// second one uses it, the outcome depends on whether it had been made before the
// deletion.
func survived(created, again string) []v1alpha1.TrialMask {
	var one, other map[string]any
	if errors.Join(json.Unmarshal([]byte(created), &one), json.Unmarshal([]byte(again), &other)) != nil {
		return nil
	}
	return masks(one, other)
}
