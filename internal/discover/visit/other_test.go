package visit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/history"
)

// What came with the sample is served if the controller changed it, and did not make it.
// What has no namespace is set up once.
func TestOtherResources(t *testing.T) {
	dir := t.TempDir()
	crds, samples := filepath.Join(dir, "crds"), filepath.Join(dir, "samples.yaml")
	if err := os.Mkdir(crds, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(crds, "all.yaml"): strings.Join([]string{crd("Shop", "Namespaced"), crd("Till", "Namespaced"), crd("Coin", "Namespaced"), crd("Graph", "Cluster")}, "---\n"),
		samples: `apiVersion: v1
kind: List
items:
- {apiVersion: example.com/v1, kind: Graph, metadata: {name: all}}
- {apiVersion: example.com/v1, kind: Shop, metadata: {name: mine}, spec: {a: b}}
- {apiVersion: example.com/v1, kind: Shop, metadata: {name: second}}
- {apiVersion: example.com/v1, kind: Till, metadata: {name: left, namespace: x, labels: {l: m}}, spec: {text: "{{ x }}"}}
- {apiVersion: example.com/v1, kind: Coin, metadata: {name: gold}}
- {apiVersion: v1, kind: Secret, metadata: {name: key}}
`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	given, err := Read([]string{crds}, samples, nil, []string{"manager"})
	if err != nil {
		t.Fatal(err)
	}
	update := func(plural, name string) history.Request {
		return history.Request{Group: "example.com", Resource: plural, Name: name, Verb: history.VerbUpdate, Subresource: "status", Effect: history.EffectEffective}
	}
	unchanged := update("coins", "gold")
	unchanged.Effect = history.EffectNoop
	account := history.Account{Requests: []history.Request{update("tills", "left"), update("graphs", "all"), unchanged}}
	found := &infer.Findings{Asked: map[string][]infer.Question{}}
	found.Spec.Serves = []v1alpha1.Served{{Resource: v1alpha1.ServedResource{Group: "example.com", Version: "v1", Kind: "Shop", Plural: "shops"}}}

	var setup []string
	for _, object := range given.Setup(found) {
		setup = append(setup, object.GetKind())
	}
	if diff := cmp.Diff([]string{"Graph"}, setup); diff != "" {
		t.Errorf("set up (-want +got):\n%s", diff)
	}
	if err := given.AddBeside(found, account); err != nil {
		t.Fatal(err)
	}
	var kinds, beside []string
	for _, served := range found.Spec.Serves {
		kinds = append(kinds, served.Resource.Kind)
	}
	for _, one := range found.Spec.Serves[0].Beside {
		object := map[string]any{}
		if err := json.Unmarshal(one.Raw, &object); err != nil {
			t.Fatal(err)
		}
		beside = append(beside, object["kind"].(string))
	}
	if diff := cmp.Diff([]string{"Shop", "Till"}, kinds); diff != "" {
		t.Errorf("served (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Till", "Coin", "Secret"}, beside); diff != "" {
		t.Errorf("beside (-want +got):\n%s", diff)
	}
	if got, want := string(found.Spec.Serves[1].Sample.Raw), `{"metadata":{"labels":{"l":"m"}},"spec":{"text":"{{\"{{\"}} x }}"}}`; got != want {
		t.Errorf("sample %s, want %s", got, want)
	}
	if asked := found.Asked["serves"]; len(asked) != 2 || !strings.Contains(asked[0].Text+asked[1].Text, "Graph all") {
		t.Errorf("asked: %v", asked)
	}
}
