package observation

import (
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// TestWarningsAboutAConflict evaluates the Observation of RT-028 as the bench does: a Warning
// counts only if it is about the conflict, by its declared reason or by its words.
func TestWarningsAboutAConflict(t *testing.T) {
	data, err := os.ReadFile("../../../scenarios/retries/solved-conflict-is-not-told/chainsaw-test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var test struct {
		Spec struct {
			Steps []struct {
				Try []struct {
					Create struct {
						Resource struct {
							Spec v1alpha1.ObservationSpec
						}
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(data, &test); err != nil {
		t.Fatal(err)
	}
	spec := test.Spec.Steps[1].Try[0].Create.Resource.Spec
	for name, tc := range map[string]struct {
		declared, kind, reason, message string
		want                            v1alpha1.Judgement
	}{
		"the words of the Fault":        {"", "Warning", "Trouble", "updating Deployment demo: a Fault of the scenario answers with 409", v1alpha1.JudgementNotMet},
		"the words of the API server":   {"", "Warning", "Trouble", `Operation cannot be fulfilled on deployments.apps "demo": the object has been modified`, v1alpha1.JudgementNotMet},
		"it exists":                     {"", "Warning", "Trouble", `deployments.apps "demo" already exists`, v1alpha1.JudgementNotMet},
		"it exists, in other words":     {"", "Warning", "Trouble", "creating Deployment demo: it exists already", v1alpha1.JudgementNotMet},
		"a number in a name":            {"", "Warning", "NotReady", "Deployment demo-4091 has no ready Pods", v1alpha1.JudgementMet},
		"the declared reason":           {"UpdateFailed", "Warning", "UpdateFailed", "it went wrong", v1alpha1.JudgementNotMet},
		"another reason":                {"UpdateFailed", "Warning", "NotReady", "0 of 2 Pods are available", v1alpha1.JudgementMet},
		"no reason, and none declared":  {"", "Warning", "", "0 of 2 Pods are available", v1alpha1.JudgementMet},
		"no Warning":                    {"UpdateFailed", "Normal", "UpdateFailed", "conflict", v1alpha1.JudgementMet},
		"that the child is not there":   {"ApplyPatchErrorOnUpdate", "Warning", "DaemonSetNotFound", "DaemonSet not found", v1alpha1.JudgementMet},
		"the child could not be made":   {"ApplyPatchErrorOnUpdate", "Warning", "ApplyPatchErrorOnCreate", "a Fault of the scenario answers with 409", v1alpha1.JudgementNotMet},
		"the code, and no other words":  {"", "Warning", "Trouble", "status 409", v1alpha1.JudgementNotMet},
		"a conflict, with a big letter": {"", "Warning", "Trouble", "Conflict", v1alpha1.JudgementNotMet},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			times := expectation.Times{Claims: v1alpha1.Claims{Features: []v1alpha1.Feature{v1alpha1.FeatureEvents}}}
			times.Claims.Events = &v1alpha1.EventReasons{Failed: tc.declared}
			j, err := newJudge(spec, times, began)
			if err != nil {
				t.Fatal(err)
			}
			event := toldEvent("demo.1", tc.reason, "1")
			event.Object["type"], event.Object["message"] = tc.kind, tc.message
			event.Object["involvedObject"] = map[string]any{"kind": "WebApp", "name": "demo"}
			j.version(event, watch.Modified, began)
			if status, _ := j.status(began); status.Verdict != tc.want {
				t.Errorf("status: %+v, want %s", status, tc.want)
			}
		})
	}
}
