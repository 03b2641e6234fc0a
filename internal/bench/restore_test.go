package bench

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
)

// TestUnpin: what would hold up the deletion of a definition is free, in all namespaces.
func TestUnpin(t *testing.T) {
	t.Parallel()
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"}
	site := func(namespace string, finalizers ...string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(resource.GroupVersion().WithKind("Site"))
		u.SetNamespace(namespace)
		u.SetName("demo")
		u.SetFinalizers(finalizers)
		return u
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{resource: "SiteList"}, site("one", "example.com/cleanup"), site("two"), site("three", "a/b", "c/d"))
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
