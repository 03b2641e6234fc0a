package snapshot

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// controllerOf returns a controller that sees a ConfigMap, the client with which it sees it, and the
// client of the Snapshots that are there.
func controllerOf(t *testing.T, configMap *corev1.ConfigMap) (c *Controller, live *fake.FakeDynamicClient, snapshots client.Client) {
	t.Helper()
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	live, snapshots = fake.NewSimpleDynamicClient(clientgoscheme.Scheme, configMap), clientfake.NewClientBuilder().WithScheme(scheme).Build()
	p := &profile.Profile{}
	return &Controller{
		Reader: snapshots, Dynamic: live, Mapper: mapper,
		Profile: func(string) *profile.Profile { return p },
		Shown:   func(string) history.Identities { return history.Identities{} },
		Times:   func(string) expectation.Times { return expectation.Times{Scale: 1} },
		cameras: map[*profile.Profile]*camera{}, begun: map[types.NamespacedName]*beginning{},
	}, live, snapshots
}

// TestAnAPIServerThatDoesNotAnswer: if the API server does not answer, the Snapshot is
// not invalid. It can be tried again. A Snapshot of an unknown resource is invalid.
func TestAnAPIServerThatDoesNotAnswer(t *testing.T) {
	c, live, _ := controllerOf(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "demo"}})
	away := true
	live.PrependReactor("list", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		return away, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	snapshot := &v1alpha1.Snapshot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "before"},
		Spec:       v1alpha1.SnapshotSpec{Resources: []string{"configmaps"}},
	}
	if err := c.Admit(t.Context(), snapshot); !apierrors.IsServiceUnavailable(err) || isInvalid(err) {
		t.Errorf("error: %v", err)
	}
	if _, err := c.Advance(t.Context(), snapshot); err == nil || snapshot.Status.Phase != "" {
		t.Errorf("status: %+v, %v", snapshot.Status, err)
	}
	away = false
	if err := c.Admit(t.Context(), snapshot); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Advance(t.Context(), snapshot); err != nil || snapshot.Status.Phase != v1alpha1.SnapshotTaken || snapshot.Status.Objects != 1 {
		t.Errorf("status: %+v, %v", snapshot.Status, err)
	}
	snapshot.Spec.Resources, snapshot.Name = []string{"things"}, "nothing"
	if err := c.Admit(t.Context(), snapshot); !isInvalid(err) {
		t.Errorf("an unknown resource: %v", err)
	}
}
