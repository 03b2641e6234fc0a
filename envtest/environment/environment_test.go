package environment_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	envtest "reconform.dev/reconform/envtest/environment"
)

func TestEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "testdata")},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: t.TempDir(), // as of setup-envtest: something is missing
	}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := env.Start(); err == nil {
		t.Error("it can be started twice")
	}
	if len(env.CRDs) == 0 || len(env.KubeConfig) == 0 || env.Config != config {
		t.Errorf("%d definitions, %d bytes of kubeconfig", len(env.CRDs), len(env.KubeConfig))
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	owner := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.reconform.dev/v1", "kind": "Widget", "metadata": map[string]any{"namespace": "default", "name": "owner"},
	}}
	if err := c.Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "child", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "test.reconform.dev/v1", Kind: "Widget", Name: "owner", UID: owner.GetUID()},
	}}}
	if err := errors.Join(c.Create(t.Context(), child), c.Delete(t.Context(), owner)); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		err := c.Get(t.Context(), client.ObjectKeyFromObject(child), child)
		if apierrors.IsNotFound(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the child of the deleted owner is still there: %v", err)
		}
	}
}

func TestPathsOfDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	env := &envtest.Environment{CRDDirectoryPaths: []string{"absent"}, ErrorIfCRDPathMissing: true}
	if _, err := env.Start(); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("%v, want that the folder is missing", err)
	}
	if env.ControlPlane() != nil {
		t.Error("the control plane is still there")
	}
	if err := env.Stop(); err != nil {
		t.Errorf("stopping what did not start: %v", err)
	}
}
