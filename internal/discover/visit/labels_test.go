package visit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestLabelsOfTheNamespace: labels that a controller may look for are kept. Labels by
// which the cluster acts are not.
func TestLabelsOfTheNamespace(t *testing.T) {
	object := func(kind, name string, labels map[string]string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		o.SetKind(kind)
		o.SetName(name)
		o.SetLabels(labels)
		return o
	}
	objects := []*unstructured.Unstructured{
		object("ConfigMap", "web", map[string]string{"team": "none"}),
		object("Namespace", "other", map[string]string{"team": "other"}),
		object("Namespace", "web", map[string]string{
			"team": "web", "example.com/served": "", "notkubernetes.io/a": "b",
			"kubernetes.io/metadata.name": "web", "pod-security.kubernetes.io/enforce": "restricted", "admission.gatekeeper.k8s.io/x": "y",
		}),
	}
	want := map[string]string{"team": "web", "example.com/served": "", "notkubernetes.io/a": "b"}
	if diff := cmp.Diff(want, labelsOf(objects, "web")); diff != "" {
		t.Errorf("labels of web (-want +got):\n%s", diff)
	}
	bus := object("Namespace", "web", map[string]string{"team": "bus"}) // a kind of that name in another group
	bus.SetAPIVersion("bus.example.com/v1")
	if got := labelsOf([]*unstructured.Unstructured{bus}, ""); got != nil {
		t.Errorf("labels of a Namespace of another group: %v", got)
	}
	if got := labelsOf(objects, "none"); got != nil {
		t.Errorf("labels of a namespace that is not there: %v", got)
	}
}

// TestLabelsWithoutContract: the labels of the namespace are in a profile without a contract, too.
func TestLabelsWithoutContract(t *testing.T) {
	given := &Given{CRD: &apiextensionsv1.CustomResourceDefinition{}, Command: []string{"./manager"}, NamespaceLabels: map[string]string{"team": "web"}}
	spec := v1alpha1.ProfileSpec{Serves: []v1alpha1.Served{{}}}
	if err := given.Install(&spec, Place{Profile: "mine.yaml"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(given.NamespaceLabels, spec.Serves[0].NamespaceLabels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}
