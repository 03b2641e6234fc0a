package render

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBindingsOfAProfile checks the values that the built-in profiles give to the
// constants of the contract.
func TestBindingsOfAProfile(t *testing.T) {
	text := strings.Replace(scenario(create+check), "spec:\n  steps", `spec:
  bindings:
  - {name: printerColumns, value: [Image]}
  - {name: leaseName, value: webapp-controller}
  - {name: updateWords, value: "(?i)deployment|replica"}
  steps`, 1)
	for name, want := range map[string]map[string]any{
		"reference": {
			"printerColumns": []any{"Image", "Replicas", "Ready", "Phase", "Age"}, "leaseName": "webapp-controller",
			"updateWords": "(?i)deployment|replica",
		},
		"stateful": {
			"printerColumns": []any{"Image", "Replicas", "Ready", "Phase", "Age"}, "leaseName": "stateful",
			"updateWords": "(?i)statefulset|replica",
		},
		// It has neither columns nor an election: nothing asks for them here.
		"sample-controller": {"printerColumns": []any{"Image"}, "leaseName": "webapp-controller", "updateWords": "(?i)deployment|replica|demo-foo"},
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
