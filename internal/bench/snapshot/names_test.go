package snapshot

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestMarkGone: a workload that goes on naming an object that is gone is different from one
// that names its successor, though all made-up names of one prefix are the same.
func TestMarkGone(t *testing.T) {
	const resources = "deployments.apps replicasets.apps"
	known := history.Identities{Names: map[string]history.MadeUp{
		"conf-aaaaa": {Resource: "configmaps", Called: "conf-?????"}, "conf-bbbbb": {Resource: "configmaps", Called: "conf-?????"},
		"conf-aaaaa-keys-c2c2c": {Resource: "secrets", Called: "conf-aaaaa-keys-?????"},
	}}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion})
	for _, kind := range []string{"ConfigMap", "Secret"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	for _, kind := range []string{"Deployment", "ReplicaSet"} {
		mapper.Add(appsv1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	of := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "ns", Name: name} }
	template := func(uses string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Volumes: []corev1.Volume{{Name: "v-" + uses, VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: uses}},
		}}}}}
	}
	deployment := func(uses string) runtime.Object {
		return &appsv1.Deployment{ObjectMeta: of("demo"), Spec: appsv1.DeploymentSpec{Template: template(uses)}}
	}
	past := func(uses string) runtime.Object {
		return &appsv1.ReplicaSet{ObjectMeta: of("demo-1"), Spec: appsv1.ReplicaSetSpec{Template: template(uses)}}
	}
	there := func(name string) runtime.Object { return &corev1.ConfigMap{ObjectMeta: of(name)} }
	take := func(objects []runtime.Object) v1alpha1.SnapshotStatus {
		t.Helper()
		c := &camera{dynamic: fake.NewSimpleDynamicClient(clientgoscheme.Scheme, objects...), mapper: mapper, rules: theRules(t)}
		status, err := c.take(t.Context(), &v1alpha1.Snapshot{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}, Spec: v1alpha1.SnapshotSpec{Resources: strings.Fields(resources)},
		}, known)
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	for name, tc := range map[string]struct {
		was, is []runtime.Object
		want    string
	}{
		"the successor": {[]runtime.Object{deployment("conf-aaaaa"), there("conf-aaaaa")}, []runtime.Object{deployment("conf-bbbbb"), there("conf-bbbbb")}, ""},
		"one that is gone": {
			[]runtime.Object{deployment("conf-aaaaa"), there("conf-aaaaa")},
			[]runtime.Object{deployment("conf-aaaaa"), there("conf-bbbbb")},
			`configMap.name: "<conf-????? that is gone>", was "conf-?????"`,
		},
		"one that is gone, of two that are named": {
			[]runtime.Object{deployment("conf-aaaaa-keys-c2c2c"), there("conf-aaaaa"), &corev1.Secret{ObjectMeta: of("conf-aaaaa-keys-c2c2c")}},
			[]runtime.Object{deployment("conf-aaaaa-keys-c2c2c"), there("conf-aaaaa")},
			`configMap.name: "<conf-?????-keys-????? that is gone>", was "conf-?????-keys-?????"`,
		},
		"gone before, too":              {[]runtime.Object{deployment("conf-aaaaa")}, []runtime.Object{deployment("conf-bbbbb")}, ""},
		"gone before, and not now":      {[]runtime.Object{deployment("conf-aaaaa")}, []runtime.Object{deployment("conf-bbbbb"), there("conf-bbbbb")}, ""},
		"gone, and named by an earlier": {[]runtime.Object{past("conf-aaaaa"), there("conf-aaaaa")}, []runtime.Object{past("conf-aaaaa")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := differences(take(tc.was), take(tc.is), known, allowance{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(found, "; "); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("differences (-want +got):\n%s", cmp.Diff(tc.want, got))
			}
		})
	}
}
