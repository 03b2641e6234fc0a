package environment_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
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
	user, err := env.AddUser(envtest.User{Name: "alice", Groups: []string{"readers"}}, &rest.Config{UserAgent: "of-alice"})
	if err != nil {
		t.Fatal(err)
	}
	if kubeconfig, err := user.KubeConfig(); err != nil || len(kubeconfig) == 0 || user.Config().UserAgent != "of-alice" {
		t.Errorf("kubeconfig of %d bytes, %v; config %+v", len(kubeconfig), err, user.Config())
	}
	if c, err := client.New(user.Config(), client.Options{}); err != nil {
		t.Error(err)
	} else if err := c.List(t.Context(), &corev1.SecretList{}); !apierrors.IsForbidden(err) {
		t.Errorf("somebody without rights lists Secrets: %v, want Forbidden", err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		err := c.Get(t.Context(), client.ObjectKeyFromObject(child), child)
		if apierrors.IsNotFound(err) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the child of the deleted owner is still there: %v", err)
		}
	}

	// It knows the definitions as they were on the first control plane.
	if err := env.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := env.Start(); err != nil {
		t.Fatalf("the same environment once more: %v", err)
	}
}

// TestDirectoryOfAnotherVersion: a folder with another version than the one that is asked
// for is left alone.
func TestDirectoryOfAnotherVersion(t *testing.T) {
	caches := t.TempDir() // no binaries elsewhere
	for name, value := range map[string]string{"XDG_CACHE_HOME": caches, "HOME": caches, "RECONFORM_ASSETS": "", "KUBEBUILDER_ASSETS": ""} {
		t.Setenv(name, value)
	}
	t.Chdir(caches)
	dir := t.TempDir()
	for name, script := range map[string]string{"kube-controller-manager": "", "kube-apiserver": "#!/bin/sh\necho Kubernetes v1.34.4\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ kubernetes, want, said string }{
		{"", dir + " lacks etcd, ", ""},
		{"1.34", dir + " lacks etcd, ", ""},
		{"1.36", "the control plane's binaries of Kubernetes v1.36.3 are missing", "BinaryAssetsDirectory is not used: " + dir + " has Kubernetes v1.34.4, not v1.36.3"},
		{"1.33", `there is no control plane of Kubernetes "1.33"`, ""},
	} {
		said := ""
		env := &envtest.Environment{BinaryAssetsDirectory: dir, Kubernetes: tc.kubernetes, Progress: func(text string) { said += text }}
		if _, err := env.Start(); err == nil || !strings.Contains(err.Error(), tc.want) || said != tc.said {
			t.Errorf("Kubernetes %q: %v, and said %q; want %q, and %q", tc.kubernetes, err, said, tc.want, tc.said)
		}
	}
}

// TestPathBelowAFile: nothing panics if a path of definitions leads through a file.
func TestPathBelowAFile(t *testing.T) {
	for _, existing := range []bool{false, true} {
		env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("environment.go", "crds")}, UseExistingCluster: &existing, Config: &rest.Config{}}
		if _, err := env.Start(); err == nil || !strings.Contains(err.Error(), "environment.go/crds: not a directory") {
			t.Errorf("existing cluster %v: %v, want that it is not a directory", existing, err)
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
	if _, err := env.AddUser(envtest.User{Name: "alice"}, nil); err == nil || !strings.Contains(err.Error(), "alice") {
		t.Errorf("a user of what has not started: %v", err)
	}
	if err := env.Stop(); err != nil {
		t.Errorf("stopping what did not start: %v", err)
	}
}
