package envtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/envtest/folder"
)

// sharerEnv makes this test's binary a program that shares a control plane, prints its
// address, and waits to be killed.
const sharerEnv = "ENVTEST_SHARER"

// sharedOptions are those of the test and of its other processes.
func sharedOptions() Options {
	return Options{WithoutPods: true, CRDPaths: []string{"testdata"}, idle: time.Second}
}

// runSharer is what the other processes do.
func runSharer() {
	s, err := Shared(context.Background(), sharedOptions())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Config().Host)
	select {}
}

// TestShared: processes share one control plane. It goes on when the process that
// started it ends or is killed, and ends soon after the last process.
func TestShared(t *testing.T) {
	startsControlPlane(t)
	dir := tempDir(t)
	t.Setenv("TMPDIR", dir)
	var hosts []string
	var sharers []*exec.Cmd
	for range 2 {
		sharer := exec.Command(os.Args[0])
		sharer.Env = append(os.Environ(), sharerEnv+"=1")
		out, err := sharer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := sharer.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = sharer.Process.Kill()
			_ = sharer.Wait()
		})
		host, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		hosts, sharers = append(hosts, strings.TrimSpace(host)), append(sharers, sharer)
	}
	s, err := Shared(t.Context(), sharedOptions())
	if err != nil {
		t.Fatal(err)
	}
	if mine := s.Config().Host; hosts[0] != mine || hosts[1] != mine {
		t.Errorf("%v and %s are not the same control plane", hosts, mine)
	}
	for _, sharer := range sharers {
		if err := sharer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(2 * sharedOptions().idle) // it would have ended by now
	clientset, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clientset.CoreV1().Namespaces().Get(t.Context(), "default", metav1.GetOptions{}); err != nil {
		t.Errorf("the control plane has not outlived the process that started it: %v", err)
	}
	if err := s.Release(); err != nil {
		t.Error(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for tick := time.NewTicker(100 * time.Millisecond); len(processes(t, filepath.Join(dir, "reconform-shared-"))) > 0; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("nobody uses it, and it is still there: %v", processes(t, dir))
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "reconform-shared-*", "*", "controlplane")); err != nil || len(left) > 0 {
		t.Errorf("left by the keeper: %v, %v", left, err)
	}

	// What comes after the end gets a new one.
	again, err := Shared(t.Context(), sharedOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

func TestSharedRefuses(t *testing.T) {
	for name, opts := range map[string]Options{
		"WorkDir":        {WorkDir: "x"},
		"RemoveIfKilled": {RemoveIfKilled: "x"},
		"CPUProfileDir":  {CPUProfileDir: "x"},
	} {
		if _, err := Shared(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "the option "+name+" is for a control plane of one process") {
			t.Errorf("%s: %v", name, err)
		}
	}
	startsControlPlane(t)
	opts := sharedOptions()
	opts.CRDPaths = []string{"absent"}
	if _, err := Shared(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("definitions that are missing: %v", err)
	}
	dir := tempDir(t)
	t.Setenv("TMPDIR", filepath.Join(dir, strings.Repeat("d", 100)))
	if _, err := Shared(t.Context(), sharedOptions()); err == nil || !strings.Contains(err.Error(), "set TMPDIR to a folder with a shorter path") {
		t.Errorf("a long path: %v", err)
	}
	// Somebody else may have made the folder of temporary files.
	t.Setenv("TMPDIR", dir)
	if err := os.Mkdir(filepath.Join(dir, fmt.Sprint("reconform-shared-", os.Getuid())), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, fmt.Sprint("reconform-shared-", os.Getuid())), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Shared(t.Context(), sharedOptions()); err == nil || !strings.Contains(err.Error(), "only this user can enter") {
		t.Errorf("a folder of everybody: %v", err)
	}
}

// TestSharedWithOtherOptions: processes with different options get different control planes,
// and what is asked for reaches the keeper. Each field of Options is either part of that,
// refused, or has no influence on the control plane.
func TestSharedWithOtherOptions(t *testing.T) {
	assets := t.TempDir()
	for _, name := range []string{etcd, apiServer, controllerManager, scheduler, kwok} {
		if err := os.WriteFile(filepath.Join(assets, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	others := t.TempDir()
	if err := os.CopyFS(others, os.DirFS(assets)); err != nil {
		t.Fatal(err)
	}
	plain := Options{AssetsDir: assets}
	changes := map[string]func(*Options){
		"AssetsDir":         func(o *Options) { o.AssetsDir = others },
		"WithoutPods":       func(o *Options) { o.WithoutPods = true },
		"ExtendedResources": func(o *Options) { o.ExtendedResources = corev1.ResourceList{gpu: resource.MustParse("2")} },
		"CRDPaths":          func(o *Options) { o.CRDPaths = []string{"testdata"} },
		"CRDs":              func(o *Options) { o.CRDs = []*apiextensionsv1.CustomResourceDefinition{{}} },
	}
	noInfluence := []string{"Kubernetes", "Progress"} // Kubernetes only chooses the folder
	refused := []string{"WorkDir", "RemoveIfKilled", "CPUProfileDir"}
	want, err := plain.toShare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[Options]().Fields() {
		change := changes[field.Name]
		switch {
		case !field.IsExported() || slices.Contains(noInfluence, field.Name) || slices.Contains(refused, field.Name):
			continue
		case change == nil:
			t.Errorf("does the option %s make another control plane?", field.Name)
			continue
		}
		opts := plain
		change(&opts)
		got, err := opts.toShare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if cmp.Equal(want, got) {
			t.Errorf("%s: with and without it, the control plane is the same", field.Name)
		}
	}
}

// TestSharedResources: a shared control plane has the resources that were asked for.
func TestSharedResources(t *testing.T) {
	startsControlPlane(t)
	t.Setenv("TMPDIR", tempDir(t))
	s, err := Shared(t.Context(), Options{ExtendedResources: corev1.ResourceList{gpu: resource.MustParse("3")}, idle: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Release(); err != nil {
			t.Error(err)
		}
	}()
	c, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	node, err := c.CoreV1().Nodes().Get(t.Context(), "node-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := node.Status.Allocatable[gpu]; got.Value() != 3 {
		t.Errorf("node-0 has %s of %s, want 3", got.String(), gpu)
	}
}

// TestKeeperWaitsForTheOneBefore: a process may ask for a control plane while the keeper that
// served it until now is ending, and still has the folder. The next keeper waits for that. Then
// it starts; here that fails, as nothing is a program.
func TestKeeperWaitsForTheOneBefore(t *testing.T) {
	dir, assets := tempDir(t), t.TempDir()
	for _, name := range []string{etcd, apiServer, controllerManager} {
		if err := os.WriteFile(filepath.Join(assets, name), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	wanted, err := json.Marshal(share{AssetsDir: assets, WithoutPods: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, shareFile), wanted, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := folder.Hold(filepath.Join(dir, "controlplane"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- keep(dir) }()
	select {
	case err := <-ended:
		t.Fatalf("it does not wait: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := before.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v, want that of a program", err)
	}
}

// TestSharedFails: if the keeper cannot start the control plane, the process that waits
// for it gets the reason.
func TestSharedFails(t *testing.T) {
	startsControlPlane(t)
	t.Setenv("TMPDIR", tempDir(t))
	opts := sharedOptions()
	file := filepath.Join(t.TempDir(), "crd.yaml")
	// The name must be plural and group.
	if err := os.WriteFile(file, []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wrong}
spec:
  group: test.reconform.dev
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	opts.CRDPaths = []string{file}
	_, err := Shared(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), "its keeper says: starting a control plane: ") {
		t.Errorf("%v, want what its keeper says", err)
	}
}
