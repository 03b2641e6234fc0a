package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Only the answer to a write of the object itself can show an older version of it,
// because only this object is changed while the answer is on its way.
func TestAnswersOnTheirWay(t *testing.T) {
	own := v1alpha1.TrialTarget{Resource: "webapps.example.com", Name: "demo"}
	status := Write{Verb: history.VerbUpdate, Resource: own.Resource, Subresource: "status", Name: own.Name, Occurrence: 3, Effective: 2}
	gone := Write{Verb: history.VerbDelete, Resource: own.Resource, Name: own.Name, Occurrence: 1, Effective: 1}
	r := recordingOf([]Write{create("services"), status, gone})
	edit := Other{Name: "edit", How: "its image is edited", Step: v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{TrialTarget: own}}}
	recorded := map[string]*Recording{"create then edit": {Undisturbed: v1alpha1.TrialUndisturbed{Objects: `{"a b": {}}`}}}

	plans := answerPlans(recorded, r, []Other{edit, {Name: "never recorded"}}, own)
	if len(plans) != 1 {
		t.Fatalf("%d plans, want 1", len(plans))
	}
	type said struct {
		Sort, Words, Production string
		Occurrence              int32
		Waits                   bool
	}
	got := said{plans[0].Sort, plans[0].InWords(), plans[0].inProduction(), plans[0].Disturb.At.Occurrence, plans[0].Disturb.AnswerWaits}
	want := said{
		"late-answer-edit", "create: while the answer to update webapps.example.com/status demo (number 3) is on its way: its image is edited",
		"its image is edited, and the controller knows of it before the answer to update webapps.example.com/status demo (number 3) arrives", 2, true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if meanwhile := meanwhilePlans(recorded, r, []Other{edit}); meanwhile[1].Disturb.AnswerWaits || meanwhile[1].Disturb.At.Occurrence != 3 {
		t.Errorf("the plan without it has changed: %+v", meanwhile[1].Disturb)
	}
}
