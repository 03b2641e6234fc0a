package visit

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/internal/discover/infer"
)

// TestCreateBeside: a ConfigMap or a Secret that came with the sample is also where the
// controller lives, as in a run. Other objects are only in the namespace that it serves.
func TestCreateBeside(t *testing.T) {
	object := func(kind, name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "shipped"}}}
	}
	for name, tc := range map[string]struct {
		home string
		want []string
	}{
		"a namespace of its own": {"look-home", []string{"look-home/logging", "look-home/token", Namespace + "/account", Namespace + "/logging", Namespace + "/token"}},
		"the one that it serves": {Namespace, []string{Namespace + "/account", Namespace + "/logging", Namespace + "/token"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := &visitor{client: fake.NewClientBuilder().Build(), record: infer.Record{Home: tc.home}}
			v.Beside = []*unstructured.Unstructured{object("ConfigMap", "logging"), object("Secret", "token"), object("ServiceAccount", "account")}
			if err := v.createBeside(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceAccountList{}} {
				if err := v.client.List(t.Context(), list); err != nil {
					t.Fatal(err)
				}
				_ = meta.EachListItem(list, func(item runtime.Object) error {
					got = append(got, client.ObjectKeyFromObject(item.(client.Object)).String())
					return nil
				})
			}
			slices.Sort(got)
			slices.Sort(tc.want)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}
