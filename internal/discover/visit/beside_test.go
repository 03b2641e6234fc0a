package visit

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/history"
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

// TestBesideWithoutNamespace: what has no namespace is set up once, also if the API server knows its
// kind by itself. It does not stand beside each object.
func TestBesideWithoutNamespace(t *testing.T) {
	object := func(apiVersion, kind, name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}}}
	}
	given := &Given{Sample: object("example.com/v1", "Shop", "mine"), CRD: &apiextensionsv1.CustomResourceDefinition{}}
	given.Beside = []*unstructured.Unstructured{object("storage.k8s.io/v1", "StorageClass", "fast"), object("v1", "Secret", "key")}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	mapper.Add(storagev1.SchemeGroupVersion.WithKind("StorageClass"), meta.RESTScopeRoot)
	v := &visitor{client: fake.NewClientBuilder().WithRESTMapper(mapper).Build(), Plan: given.Plan(nil, nil)}
	if err := v.createBeside(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := &infer.Findings{Asked: map[string][]infer.Question{}}
	found.Spec.Serves = []v1alpha1.Served{{}}
	if err := given.AddBeside(found, history.Account{}); err != nil {
		t.Fatal(err)
	}
	var setup []string
	for _, object := range given.Setup(found) {
		setup = append(setup, object.GetName())
	}
	if diff := cmp.Diff([]string{"fast"}, setup); diff != "" {
		t.Errorf("set up once (-want +got):\n%s", diff)
	}
	if beside := found.Spec.Serves[0].Beside; len(beside) != 1 || !strings.Contains(string(beside[0].Raw), `"key"`) {
		t.Errorf("beside each: %s", beside)
	}
}
