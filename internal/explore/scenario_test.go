package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestScenarioMakesWhatIsBeside: a scenario that was written out creates what must be there beside
// the object, before the controller starts, like each Trial of an exploration.
func TestScenarioMakesWhatIsBeside(t *testing.T) {
	beside := []*unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "demo-config"}, "data": map[string]any{"a": "b"},
	}}}
	for name, tc := range map[string]struct {
		beside []*unstructured.Unstructured
		want   []string
	}{
		"a ConfigMap": {beside, []string{"ConfigMap demo-config", "Subject subject", "Trial trial"}},
		"nothing":     {nil, []string{"Subject subject", "Trial trial"}},
	} {
		text, err := scenario(1, "It differs.", somePlans()[0], v1alpha1.TrialSpec{}, tc.beside)
		if err != nil {
			t.Fatal(err)
		}
		var test struct {
			Spec struct {
				Steps []struct {
					Try []struct {
						Create *struct{ Resource unstructured.Unstructured }
					}
				}
			}
		}
		if err := yaml.Unmarshal(text, &test); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, step := range test.Spec.Steps {
			for _, operation := range step.Try {
				if operation.Create != nil {
					got = append(got, operation.Create.Resource.GetKind()+" "+operation.Create.Resource.GetName())
				}
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: created objects (-want +got):\n%s", name, diff)
		}
	}
}

// TestScenarioKeepsNumbers: a number of the sample that no float has is the same in a scenario that
// was written out.
func TestScenarioKeepsNumbers(t *testing.T) {
	sample := apiextensionsv1.JSON{Raw: []byte(`{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"demo"},"spec":{"size":9007199254740993}}`)}
	spec := v1alpha1.TrialSpec{Operations: []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: sample}}}}
	text, err := scenario(1, "It differs.", somePlans()[0], spec, nil)
	if err != nil || !strings.Contains(string(text), "size: 9007199254740993\n") {
		t.Errorf("%v; the number is another one:\n%s", err, text)
	}
}

// TestScenarioTakesTextsAsTheyAre: Chainsaw takes a text in parentheses for an expression, unless it is
// told not to. In the object of a user, and in what is beside it, it is a text.
func TestScenarioTakesTextsAsTheyAre(t *testing.T) {
	sample := apiextensionsv1.JSON{Raw: []byte(`{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"demo"},"spec":{"title":"(none)"}}`)}
	beside := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "demo-config"}, "data": map[string]any{"a": "(b)"},
	}}
	spec := v1alpha1.TrialSpec{Operations: []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: sample}}}}
	text, err := scenario(1, "It differs.", somePlans()[0], spec, []*unstructured.Unstructured{beside})
	if err != nil {
		t.Fatal(err)
	}
	var test struct {
		Spec struct {
			Steps []struct {
				Try []struct {
					Create *struct {
						Template *bool
						Resource unstructured.Unstructured
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &test); err != nil {
		t.Fatal(err)
	}
	created := 0
	for _, step := range test.Spec.Steps {
		for _, operation := range step.Try {
			if operation.Create == nil {
				continue
			}
			created++
			if template := operation.Create.Template; template == nil || *template {
				t.Errorf("%s: its texts are evaluated", operation.Create.Resource.GetKind())
			}
		}
	}
	if created != 3 {
		t.Errorf("%d objects are created", created)
	}
}
