package trial

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestCreationKeepsNumbers: an object is created with the whole numbers that it was given, also with
// one that no float has.
func TestCreationKeepsNumbers(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(kind, meta.RESTScopeNamespace)
	c := &Controller{Mapper: mapper, Profile: func(string) *profile.Profile { return &profile.Profile{} }}
	raw := []byte(`{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"demo"},"spec":{"size":9007199254740993}}`)
	o, err := c.operation("explore-1", v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: apiextensionsv1.JSON{Raw: raw}}})
	if err != nil {
		t.Fatal(err)
	}
	if size, _, err := unstructured.NestedInt64(o.object.Object, "spec", "size"); size != 9007199254740993 {
		t.Errorf("the size is %d, %v", size, err)
	}
}
