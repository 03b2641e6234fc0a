package bench

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/fake"
)

// TestUnpin: finalizers that would hold up the deletion of a definition are removed, in
// all namespaces.
func TestUnpin(t *testing.T) {
	t.Parallel()
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"}
	site := func(namespace string, finalizers ...string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: resource.GroupVersion().String(), Kind: "Site"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "demo", Finalizers: finalizers},
		}
	}
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleMetadataClient(scheme, site("one", "example.com/cleanup"), site("two"), site("three", "a/b", "c/d"))
	if err := unpin(t.Context(), client, resource); err != nil {
		t.Fatal(err)
	}
	list, err := client.Resource(resource).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 3 {
		t.Fatalf("%d objects, want 3: %v", len(list.Items), err)
	}
	for _, object := range list.Items {
		if left := object.GetFinalizers(); len(left) > 0 {
			t.Errorf("%s/%s has %v", object.GetNamespace(), object.GetName(), left)
		}
	}
}
