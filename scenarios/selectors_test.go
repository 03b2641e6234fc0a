package scenarios_test

import (
	"cmp"
	"os"
	"testing"

	"github.com/kyverno/chainsaw/pkg/apis"
	"github.com/kyverno/kyverno-json/pkg/core/compilers"
	"sigs.k8s.io/yaml"
)

// TestSelectorsThatReachAnother evaluates what the template expect-pods-apart says of two
// Deployments, as Chainsaw does: whether one selects Pods with the template of the other.
func TestSelectorsThatReachAnother(t *testing.T) {
	const labels = `{app: one, tier: web}`
	for name, tc := range map[string]struct {
		selector string // of the one Deployment; empty if it has none
		labels   string // of the Pods of the other one; empty if they have none
		want     bool
	}{
		"labels that match":               {`{matchLabels: {app: one}}`, labels, true},
		"labels that do not":              {`{matchLabels: {app: two}}`, labels, false},
		"one of two labels":               {`{matchLabels: {app: one, tier: db}}`, labels, false},
		"In":                              {`{matchExpressions: [{key: app, operator: In, values: [zero, one]}]}`, labels, true},
		"In, another value":               {`{matchExpressions: [{key: app, operator: In, values: [two]}]}`, labels, false},
		"In, no such label":               {`{matchExpressions: [{key: name, operator: In, values: [one]}]}`, labels, false},
		"NotIn":                           {`{matchExpressions: [{key: app, operator: NotIn, values: [two]}]}`, labels, true},
		"NotIn, this value":               {`{matchExpressions: [{key: app, operator: NotIn, values: [one]}]}`, labels, false},
		"NotIn, no such label":            {`{matchExpressions: [{key: name, operator: NotIn, values: [one]}]}`, labels, true},
		"Exists":                          {`{matchExpressions: [{key: app, operator: Exists}]}`, labels, true},
		"Exists, no such label":           {`{matchExpressions: [{key: name, operator: Exists}]}`, labels, false},
		"DoesNotExist":                    {`{matchExpressions: [{key: name, operator: DoesNotExist}]}`, labels, true},
		"DoesNotExist, but it does":       {`{matchExpressions: [{key: app, operator: DoesNotExist}]}`, labels, false},
		"labels and an expression":        {`{matchLabels: {tier: web}, matchExpressions: [{key: app, operator: In, values: [one]}]}`, labels, true},
		"labels, but not the expression":  {`{matchLabels: {tier: web}, matchExpressions: [{key: app, operator: In, values: [two]}]}`, labels, false},
		"the expression, but not labels":  {`{matchLabels: {tier: db}, matchExpressions: [{key: app, operator: Exists}]}`, labels, false},
		"one of two expressions":          {`{matchExpressions: [{key: app, operator: Exists}, {key: tier, operator: NotIn, values: [web]}]}`, labels, false},
		"no selector":                     {``, labels, false},
		"Pods without labels":             {`{matchLabels: {app: one}}`, ``, false},
		"Pods without labels, expression": {`{matchExpressions: [{key: app, operator: In, values: [one]}]}`, ``, false},
	} {
		t.Run(name, func(t *testing.T) {
			selects := deployment(t, `{spec: {selector: `+cmp.Or(tc.selector, "null")+`, template: {metadata: {labels: {app: none}}}}}`)
			selected := deployment(t, `{spec: {selector: {matchLabels: {app: other}}, template: {metadata: {labels: `+cmp.Or(tc.labels, "null")+`}}}}`)
			for _, way := range []struct {
				one, another any
				variable     string
			}{{selects, selected, "$one_selects_another"}, {selected, selects, "$another_selects_one"}} {
				if got := apart(t, way.one, way.another)[way.variable]; got != tc.want {
					t.Errorf("%s: got %v, want %t", way.variable, got, tc.want)
				}
			}
		})
	}
	alone := deployment(t, `{spec: {selector: {matchExpressions: [{key: name, operator: DoesNotExist}]}}}`)
	for variable, got := range apart(t, alone, nil) {
		if got != false {
			t.Errorf("%s of a Deployment that is alone: got %v, want false", variable, got)
		}
	}
}

// apart evaluates the variables of the template expect-pods-apart, and returns those that it
// asserts.
func apart(t *testing.T, one, another any) map[string]any {
	t.Helper()
	text, err := os.ReadFile("templates/expect-pods-apart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Spec struct {
			Try []struct {
				Assert struct {
					Bindings []struct{ Name, Value string }
					Resource map[string]any
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	assertion := template.Spec.Try[0].Assert
	bindings := apis.NewBindings().Register("$one", apis.NewBinding(one)).Register("$another", apis.NewBinding(another))
	values := map[string]any{}
	for _, b := range assertion.Bindings {
		value, err := compilers.Execute(b.Value, map[string]any{}, bindings, apis.DefaultCompilers.Jp)
		if err != nil {
			t.Fatalf("%s: %v", b.Name, err)
		}
		bindings = bindings.Register("$"+b.Name, apis.NewBinding(value))
		values["$"+b.Name] = value
	}
	asserted := map[string]any{}
	for key := range assertion.Resource {
		asserted[key[1:len(key)-1]] = values[key[1:len(key)-1]]
	}
	return asserted
}

func deployment(t *testing.T, text string) any {
	t.Helper()
	var object any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
