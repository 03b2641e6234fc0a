package visit

import (
	"context"
	"io"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/internal/report"
)

// TestVacate: the object is removed and its name is free, although it has a finalizer.
func TestVacate(t *testing.T) {
	shops := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "shops"}
	for name, tc := range map[string]struct{ held, stays bool }{
		"it goes":                        {false, false},
		"a finalizer holds it":           {true, false},
		"something else holds it anyway": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			shop := &unstructured.Unstructured{}
			shop.SetAPIVersion("example.com/v1")
			shop.SetKind("Shop")
			shop.SetNamespace(Namespace)
			shop.SetName("first")
			shop.SetFinalizers([]string{"example.com/forever"})
			client := fake.NewSimpleDynamicClient(runtime.NewScheme(), shop)
			client.PrependReactor("delete", "shops", func(clienttesting.Action) (bool, runtime.Object, error) { return tc.held, nil, nil })
			patched := false
			client.PrependReactor("patch", "shops", func(clienttesting.Action) (bool, runtime.Object, error) {
				if patched = true; tc.stays {
					return true, shop, nil
				}
				return true, shop, client.Tracker().Delete(shops, Namespace, "first")
			})
			v := &visitor{dynamic: client, resource: shops, Plan: Plan{Console: report.NewConsole(io.Discard)}}
			defer v.Console.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			err := v.vacate(ctx, "first", 200*time.Millisecond)
			if (err != nil) != tc.stays || patched != tc.held {
				t.Errorf("error %v, finalizers taken off: %t", err, patched)
			}
		})
	}
}
