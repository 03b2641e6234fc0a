package render

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBindingsOfAProfile checks the values that the built-in profiles give to the
// bindings about reporting and timing.
func TestBindingsOfAProfile(t *testing.T) {
	text := strings.Replace(scenario(create+check), "spec:\n  steps", `spec:
  bindings:
  - {name: reportingConditionType, value: Degraded}
  - {name: reportingConditionStatus, value: "True"}
  - {name: reportingEventReason, value: ""}
  - {name: printerColumns, value: [Image]}
  - {name: clientQPS, value: 0}
  steps`, 1)
	for name, want := range map[string]map[string]any{
		"reference": {
			"reportingConditionType": "Degraded", "reportingConditionStatus": "True", "reportingEventReason": "",
			"printerColumns": []any{"Image", "Replicas", "Ready", "Phase", "Age"}, "clientQPS": 0,
		},
		// It does not claim to report, and has no columns: nothing asks for them here.
		"sample-controller": {
			"reportingConditionType": "", "reportingConditionStatus": "", "reportingEventReason": "",
			"printerColumns": []any{"Image"}, "clientQPS": 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := parse("x/"+FileName, []byte(text), os.ReadFile)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Render(s, builtin(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, bindingsOf(t, r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTimeoutScaleIsBound checks that scenarios compute their own bounds with the scale
// of the run.
func TestTimeoutScaleIsBound(t *testing.T) {
	text := strings.Replace(scenario(create+check), "spec:\n  steps", "spec:\n  bindings:\n  - {name: timeoutScale, value: 1}\n  steps", 1)
	s, err := parse("x/"+FileName, []byte(text), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Render(s, builtin(t, "reference"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.ForRun(RunOptions{Namespace: "ns", TimeoutScale: 2.5})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"timeoutScale": 2.5}, bindingsOf(t, run)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"timeoutScale": 1}, bindingsOf(t, r)); diff != "" {
		t.Errorf("the rendered test itself was changed: %s", diff)
	}
}

func bindingsOf(t *testing.T, r *Rendered) map[string]any {
	t.Helper()
	var list []struct {
		Name  string
		Value any
	}
	if err := at(r.root, "spec", "bindings").Decode(&list); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, b := range list {
		values[b.Name] = b.Value
	}
	return values
}
