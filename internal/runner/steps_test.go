package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestFollow: each step is reported once, when it begins; so are the first step that
// fails, and the writes of the scenario.
func TestFollow(t *testing.T) {
	recorder := history.New(nil, nil)
	s := &scenario{namespace: inNamespace}
	for _, event := range []chainsaw.Event{
		{Step: "@chainsaw", Operation: "setup"},
		{Step: "Given the controller", Operation: "try"},
		{Step: "Given the controller", Operation: "create", Object: "Subject"},
		{Step: "Given the controller", Operation: "try"},
		{Step: "Given the controller", Operation: "patch", Object: "apps/v1/Deployment @ a/demo", Acts: "patch Deployment demo"},
		{Step: "Then it acts", Operation: "try"},
		{Step: "Then it acts", Operation: "assert", Failed: "Then it acts"},
		{Step: "Then it acts", Operation: "try", Failed: "Then it acts"},
		{Step: "Given the controller", Operation: "cleanup", Failed: "Then it acts"},
		{Step: "Given the controller", Operation: "delete", Failed: "Then it acts"},
		{Step: "@chainsaw", Operation: "cleanup", Kind: chainsaw.Ended, Failed: "Then it acts"},
	} {
		s.follow(recorder, event)
	}
	var got []string
	for _, event := range recorder.Account(inNamespace).Events {
		got = append(got, event.Reason+" "+event.Message)
	}
	want := []string{
		"StepBegan Given the controller", "ScenarioActed patch Deployment demo", "StepBegan Then it acts", "StepFailed Then it acts", "StepBegan cleanup",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
