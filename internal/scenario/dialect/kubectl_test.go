package dialect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKubectl(t *testing.T) {
	for text, want := range map[string]*Command{
		"delete deployments,services --all -n $NAMESPACE": {Verb: "delete", Arguments: []Argument{
			{Objects: []Object{{Resource: "deployments"}, {Resource: "services"}}},
			{Flag: &Flag{Name: "all", Bare: true}},
			{Flag: &Flag{Name: "namespace", Value: "$NAMESPACE"}},
		}},
		"get disruptions.reconform.dev pause --output=jsonpath={.status.replica}": {Verb: "get", Reads: true, Arguments: []Argument{
			{Objects: []Object{{Resource: "disruptions.reconform.dev"}}},
			{Name: new("pause")},
			{Flag: &Flag{Name: "output", Value: "jsonpath={.status.replica}"}},
		}},
		"set image deployment/demo app=a:1": {Verb: "set image", Arguments: []Argument{
			{Objects: []Object{{"deployment", "demo"}}}, {Assignment: &Assignment{Key: "app", Value: "a:1"}},
		}},
		"label webapp demo a-": {Verb: "label", Arguments: []Argument{
			{Objects: []Object{{Resource: "webapp"}}}, {Name: new("demo")}, {Assignment: &Assignment{Text: "a-"}},
		}},
		"delete deployment/a configmap/b --wait=false": {Verb: "delete", Arguments: []Argument{
			{Objects: []Object{{"deployment", "a"}}}, {Objects: []Object{{"configmap", "b"}}}, {Flag: &Flag{Name: "wait", Value: "false"}},
		}},
	} {
		got, err := ParseKubectl(strings.Fields(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestOutsideOfKubectl(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "kubectl without a command",
		"exec pod/a -- sh":                     "kubectl exec is not allowed",
		"set serviceaccount deployment/a":      "kubectl set is not allowed",
		"delete":                               "no object is named",
		"delete ($what)":                       "an expression as an argument",
		"delete deployment/a --force":          "the flag --force is not allowed",
		"delete deployment/a -x":               "the flag -x is not allowed",
		"delete deployment/a,service/b":        "mixes names into a list",
		"delete deployment/a services":         "is not RESOURCE/NAME, as the object before it is",
		"delete deployment/A":                  "neither RESOURCE/NAME nor",
		"get deployment -o":                    "-o needs a value",
		"get deployment a=b":                   "a=b is not a name",
		"delete deployment/a,deployments/b,,c": "mixes names",
	} {
		if _, err := ParseKubectl(strings.Fields(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestJSONPath(t *testing.T) {
	got, err := ParseJSONPath("{.spec.ports[0].nodePort}")
	if err != nil || got.String() != "{.spec.ports[0].nodePort}" {
		t.Errorf("got %s, %v", got, err)
	}
	if diff := cmp.Diff([]string{"spec", "ports", "[0]", "nodePort"}, got.Steps); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "{}", ".spec", "{.a[*].b}", "{.a..b}", "{range .items[*]}", "{[0]}", "{.a}{.b}", "{.a[?(@.b)]}"} {
		if _, err := ParseJSONPath(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func FuzzKubectl(f *testing.F) {
	for _, text := range []string{"get a b -o x", "label a b c=d e-", "delete a,b --all", "set image a/b c=d", "wait a/b --for=create"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		command, err := ParseKubectl(strings.Fields(text))
		if err != nil {
			return
		}
		again, err := ParseKubectl(command.Args())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, command.Args(), err)
		}
		if diff := cmp.Diff(command, again); diff != "" {
			t.Errorf("%q is written as %q: %s", text, command.Args(), diff)
		}
	})
}
