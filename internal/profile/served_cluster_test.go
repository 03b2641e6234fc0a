package profile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestClusterScoped(t *testing.T) {
	text := edit(t, contractless, "plural: sites", "plural: sites, scope: Cluster", `host: "{{ .name }}`, `host: "{{ .namespace }}-{{ .name }}`)
	p, err := Parse("mine.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []apischema.GroupResource{{Group: "example.com", Resource: "sites"}}
	if diff := cmp.Diff(want, p.ClusterResources()); diff != "" || !p.ServesCluster() {
		t.Error(diff)
	}
	served, err := p.Served()
	if err != nil {
		t.Fatal(err)
	}
	object, err := served[0].Object("demo")
	if err != nil {
		t.Fatal(err)
	}
	host, _ := object.Object["spec"].(map[string]any)["host"].(string)
	if !strings.HasPrefix(host, v1alpha1.TrialNamespace+"-demo") {
		t.Errorf("the namespace is not left to the trial: %q", host)
	}
}

func TestNamespacedServesNoCluster(t *testing.T) {
	p, err := Parse("mine.yaml", []byte(contractless))
	if err != nil {
		t.Fatal(err)
	}
	if p.ServesCluster() || len(p.ClusterResources()) > 0 {
		t.Error(p.ClusterResources())
	}
}
