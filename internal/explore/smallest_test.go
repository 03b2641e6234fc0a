package explore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestSmallerObjects: the fields that the CRD does not require are left out, all of them and each,
// wherever the object is created. Other objects, and the plan itself, stay as they are.
func TestSmallerObjects(t *testing.T) {
	target := targetOf(t, "reference")
	create, err := target.creation()
	if err != nil {
		t.Fatal(err)
	}
	other, err := encode(map[string]any{"kind": "WebApp", "metadata": map[string]any{"name": anotherName}, "spec": map[string]any{"port": 1}})
	if err != nil {
		t.Fatal(err)
	}
	object := create.Steps[0].Create
	operation := Operation{Name: "recreate", Steps: []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: other}}, {Create: object}, {Recreate: object}}}
	plan := &Plan{Operation: operation, Disturb: &v1alpha1.TrialDisturbance{Meanwhile: &v1alpha1.TrialOperation{Recreate: object.DeepCopy()}}}
	before, err := plan.key()
	if err != nil {
		t.Fatal(err)
	}
	fields := func(created *v1alpha1.TrialObject) string {
		var object struct {
			Spec map[string]any `json:"spec"`
		}
		if err := json.Unmarshal(created.Object.Raw, &object); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, name := range []string{"configMapRef", "image", "port", "replicas"} {
			if object.Spec[name] != nil {
				names = append(names, name)
			}
		}
		return strings.Join(names, " ")
	}
	type smaller struct{ Without, Left string }
	var got []smaller
	for _, c := range target.smallerObjects(plan) {
		steps := c.plan.Operation.Steps
		left := fields(steps[1].Create)
		got = append(got, smaller{c.without, left})
		if fields(steps[2].Recreate) != left || fields(c.plan.Disturb.Meanwhile.Recreate) != left || fields(steps[0].Create) != "port" {
			t.Errorf("%s: %+v", c.without, c.plan)
		}
		if again := target.smallerObjects(c.plan); strings.Contains(c.without, ",") && len(again) > 0 {
			t.Errorf("what is left has %d optional fields", len(again))
		}
		if c.plan.Operation.size() >= operation.size() {
			t.Errorf("%s: it is not smaller", c.without)
		}
		if !strings.HasSuffix(c.plan.InWords(), " (a smaller object)") {
			t.Errorf("%s: its name is that of the whole plan: %s", c.without, c.plan.InWords())
		}
		found := func(p *Plan) *finding { return &finding{plan: p, came: 2, tries: 2} }
		if simpler(found(c.plan), found(plan)) >= 0 {
			t.Errorf("%s: it is not simpler", c.without)
		}
	}
	want := []smaller{
		{"spec.configMapRef, spec.port, spec.replicas of the object", "image"},
		{"spec.configMapRef of the object", "image port replicas"},
		{"spec.port of the object", "configMapRef image replicas"},
		{"spec.replicas of the object", "configMapRef image port"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if after, err := plan.key(); err != nil || after != before {
		t.Errorf("the plan itself was changed: %v", err)
	}
	plan.Disturb = nil
	if all := target.smallerObjects(plan); len(all) > 0 {
		t.Errorf("without a disturbance: %d candidates", len(all))
	}
}

// TestOptionalFields: what is below a field that is required may be optional, and without a schema
// nothing is known to be required.
func TestOptionalFields(t *testing.T) {
	target := targetOf(t, "reference")
	schema := target.specSchema()
	if schema == nil {
		t.Fatal("no schema")
	}
	inner := *schema.DeepCopy()
	schema.Properties["inner"], schema.Required = inner, append(schema.Required, "inner")
	paths := func(all [][]string) []string {
		var texts []string
		for _, path := range all {
			texts = append(texts, strings.Join(path, "."))
		}
		return texts
	}
	spec := map[string]any{"image": "a", "unknown": "x", "inner": map[string]any{"image": "b", "port": 1}}
	if diff := cmp.Diff([]string{"spec.inner.port", "spec.unknown"}, paths(optional(schema, spec, []string{"spec"}))); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"spec.image", "spec.inner", "spec.unknown"}, paths(optional(nil, spec, []string{"spec"}))); diff != "" {
		t.Errorf("without a schema (-want +got):\n%s", diff)
	}
	target.Resource = "others.apps.kubedojo.io"
	if target.specSchema() != nil {
		t.Error("the schema of another resource")
	}
}

// TestNotMinimised: whatever a small plan may be found for is told if the budget is spent.
func TestNotMinimised(t *testing.T) {
	target := targetOf(t, "reference")
	create, err := target.creation()
	if err != nil {
		t.Fatal(err)
	}
	found := func(disturb *v1alpha1.TrialDisturbance, object string) *finding {
		return &finding{
			plan: &Plan{Operation: create, Disturb: disturb}, came: 2, tries: 2,
			first: &tried{TrialStatus: v1alpha1.TrialStatus{Divergences: []v1alpha1.Divergence{missing(object)}}},
		}
	}
	fault := &v1alpha1.TrialDisturbance{Fault: &v1alpha1.FaultAction{}}
	e := &Exploration{target: target, findings: []*finding{found(fault, "services demo"), found(fault, "deployments.apps demo"), found(nil, "pods demo")}, minimised: map[string]*v1alpha1.Minimised{}}
	e.minimised[(&cause{divergence: missing("services demo")}).id()] = &v1alpha1.Minimised{}
	left := e.notMinimised()
	if len(left) != 1 || left[0].divergence.Object != "deployments.apps demo" {
		t.Errorf("%+v", left)
	}
}

// TestSmallerKeepsNumbers: a number of the sample that no float has stays when others are left out.
func TestSmallerKeepsNumbers(t *testing.T) {
	target := targetOf(t, "reference")
	own, err := encode(map[string]any{
		"apiVersion": target.Sample.GetAPIVersion(), "kind": target.Sample.GetKind(), "metadata": map[string]any{"name": target.Sample.GetName()},
		"spec": map[string]any{"size": int64(9007199254740993), "port": int64(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	step := v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: own}}
	target.cut(&step, [][]string{{"spec", "port"}})
	if got := string(step.Create.Object.Raw); !strings.Contains(got, `"spec":{"size":9007199254740993}`) {
		t.Errorf("what is left is %s", got)
	}
}
