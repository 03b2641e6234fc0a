package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/profile"
)

// startUserCluster starts one that is not the command's, with a kubeconfig for it.
func startUserCluster(t *testing.T, options envtest.Options) (*rest.Config, string) {
	t.Helper()
	startsControlPlane(t)
	user, err := envtest.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := user.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := addToPath(user.AssetsDir()); err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := user.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	return user.Config(), kubeconfig
}

// pathLock guards the PATH of this process. Tests add the same folder to it, for kubectl.
var pathLock sync.Mutex

func addToPath(folder string) error {
	pathLock.Lock()
	defer pathLock.Unlock()
	if before := os.Getenv("PATH"); !slices.Contains(filepath.SplitList(before), folder) {
		return os.Setenv("PATH", folder+string(os.PathListSeparator)+before)
	}
	return nil
}

// TestClusterOfTheUser runs several commands, one after the other, on the same cluster.
// After each, the cluster has exactly the objects that it had before.
func TestClusterOfTheUser(t *testing.T) {
	t.Parallel()
	adoptOrphans(t)
	config, kubeconfig := startUserCluster(t, envtest.Options{})
	for name, do := range map[string]func(*testing.T, *rest.Config, string){
		"it is judged on": judgedOnCluster, "a run is killed": killedOnCluster, "definitions are there": definitionsThere,
	} {
		t.Run(name, func(t *testing.T) { do(t, config, kubeconfig) })
	}
}

func judgedOnCluster(t *testing.T, config *rest.Config, kubeconfig string) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	reports := t.TempDir()
	args := []string{"run", "--kubeconfig", kubeconfig, "--report-dir", reports, "--run", "^(RC-001|SH-001)$", "--repeat", "2"}

	before := everything(t, config)
	status, stdout, stderr := run(t, args...)
	if status != statusOK || !strings.Contains(stdout, "4 passed, 0 failed") {
		t.Fatalf("status %d, want %d, and 4 passed:\n%s%s", status, statusOK, stderr, stdout)
	}
	if !regexp.MustCompile(`webapp-controller is partial: nothing failed, and \d+ of \d+ core requirements were not selected`).MatchString(stdout) {
		t.Errorf("two of all core requirements were selected, want a partial verdict that says so:\n%s", stdout)
	}
	if got := readReport(t, reports); got.Verdict != v1alpha1.Partial || got.Core.Judged != 2 || got.Core.Total <= 2 {
		t.Errorf("verdict %s, core %+v, want a partial one with two judged", got.Verdict, got.Core)
	}
	await(t, before, config)
	for _, result := range readReport(t, reports).Results {
		if result.Repeat == 0 || result.Verdict != v1alpha1.Passed {
			t.Errorf("%s, repeat %d: %s", result.ID, result.Repeat, result.Verdict)
		}
	}

	// A namespace of that name may belong to somebody else: it is neither used nor
	// removed.
	taken := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "reconform-sh-001-r2"}}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), taken, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	status, _, stderr = run(t, args...)
	if status != statusInconclusive || !strings.Contains(stderr, "kubectl delete namespace "+taken.Name) {
		t.Errorf("status %d, want %d, and an error with what to do:\n%s", status, statusInconclusive, stderr)
	}
	if _, err := client.CoreV1().Namespaces().Get(t.Context(), taken.Name, metav1.GetOptions{}); err != nil {
		t.Errorf("it was removed: %v", err)
	}
	remove(t, func(ctx context.Context) error {
		return client.CoreV1().Namespaces().Delete(ctx, taken.Name, metav1.DeleteOptions{})
	})
}

// TestClusterThatRunsNoPods: scenarios that need running Pods are not run, and nothing
// is concluded about them.
func TestClusterThatRunsNoPods(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startUserCluster(t, envtest.Options{WithoutPods: true})
	reports := t.TempDir()
	status, stdout, stderr := run(t, "run", "--kubeconfig", kubeconfig, "--report-dir", reports, "--run", "^RC-004$", "--timeout-scale", "0.05")
	const want = "Pods do not become ready on this cluster: the first Pod did not run in time: it is Pending"
	if status != statusInconclusive || !strings.Contains(stderr, want) || !strings.Contains(stdout, "0 passed, 0 failed, 1 inconclusive") {
		t.Errorf("status %d, want %d, and why:\n%s%s", status, statusInconclusive, stderr, stdout)
	}
	if got := readReport(t, reports); len(got.Results) != 1 || got.Results[0].Reason != want {
		t.Errorf("results: %+v, want one, for the reason %q", got.Results, want)
	}
}

// killedOnCluster: what a killed run has left goes with clean, or with the next run.
func killedOnCluster(t *testing.T, config *rest.Config, kubeconfig string) {
	before := everything(t, config)
	kill := func() {
		c := startCommand(t, "run", "--kubeconfig", kubeconfig)
		c.await(t, "  passed ")
		c.end(t, syscall.SIGKILL, false)
		if diff := cmp.Diff(before, snapshot(t, config)); diff == "" {
			t.Fatal("it has left nothing: was it killed?")
		}
	}
	kill()
	status, stdout, stderr := run(t, "clean", "--kubeconfig", kubeconfig)
	if status != statusOK || !strings.Contains(stdout, "removed namespace reconform-rc-00") {
		t.Fatalf("clean: status %d\n%s%s", status, stdout, stderr)
	}
	await(t, before, config)
	kill()
	status, stdout, stderr = run(t, "run", "--kubeconfig", kubeconfig, "--report-dir", t.TempDir(), "--run", "^RC-001$")
	if status != statusOK || !strings.Contains(stderr, "removed namespace reconform-rc-00") {
		t.Fatalf("the next run: status %d\n%s%s", status, stdout, stderr)
	}
	await(t, before, config)
	if _, stdout, _ := run(t, "clean", "--kubeconfig", kubeconfig); stdout != "nothing to remove\n" {
		t.Errorf("clean, where nothing is left: %s", stdout)
	}
}

// definitionsThere: a definition of the user's is neither replaced nor removed, and where
// another bench works there is no second.
func definitionsThere(t *testing.T, config *rest.Config, kubeconfig string) {
	client, err := apiextensions.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	definitions, err := bench.CRDs(p)
	if err != nil {
		t.Fatal(err)
	}
	theirs := definitions[slices.IndexFunc(definitions, func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return d.Spec.Names.Kind == "WebApp"
	})].DeepCopy()
	theirs.Annotations = map[string]string{"of": "the user"}
	theirs.Spec.Names.ShortNames = append(theirs.Spec.Names.ShortNames, "theirs")
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	if theirs, err = crds.Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	before := everything(t, config)
	args := []string{"run", "--kubeconfig", kubeconfig, "--report-dir", t.TempDir(), "--run", "^RC-001$"}
	status, _, stderr := run(t, args...)
	if status != statusInconclusive || !strings.Contains(stderr, "theirs") || !strings.Contains(stderr, "--replace-crds") {
		t.Errorf("status %d, want %d, and the difference:\n%s", status, statusInconclusive, stderr)
	}
	await(t, before, config)

	status, _, stderr = run(t, append(args, "--replace-crds")...)
	if status != statusOK {
		t.Errorf("--replace-crds: status %d\n%s", status, stderr)
	}
	replaced, err := crds.Get(t.Context(), theirs.Name, metav1.GetOptions{})
	if err != nil || replaced.UID != theirs.UID || replaced.Annotations["of"] != "the user" || slices.Contains(replaced.Spec.Names.ShortNames, "theirs") {
		t.Errorf("replaced: %v %v", replaced, err)
	}
	before = everything(t, config)
	if status, _, stderr = run(t, args...); status != statusOK {
		t.Errorf("where it is the same: status %d\n%s", status, stderr)
	}
	await(t, before, config)

	lease, err := cluster.Take(t.Context(), kubernetes.NewForConfigOrDie(config))
	if err != nil {
		t.Fatal(err)
	}
	status, _, stderr = run(t, args...)
	if status != statusInconclusive || !strings.Contains(stderr, "another bench works on this cluster") {
		t.Errorf("beside another bench: status %d, want %d\n%s", status, statusInconclusive, stderr)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	remove(t, func(ctx context.Context) error { return crds.Delete(ctx, theirs.Name, metav1.DeleteOptions{}) })
}

// remove deletes an object, and waits until it is gone.
func remove(t *testing.T, deleted func(context.Context) error) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		switch err := deleted(ctx); {
		case apierrors.IsNotFound(err):
			return true, nil
		case apierrors.IsConflict(err): // it is going already
			return false, nil
		default:
			return false, err
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// everything is the state of a cluster at rest.
func everything(t *testing.T, config *rest.Config) map[string]string {
	t.Helper()
	now := snapshot(t, config)
	err := wait.PollUntilContextTimeout(t.Context(), 2*time.Second, patience, false, func(context.Context) (bool, error) {
		before := now
		now = snapshot(t, config)
		return cmp.Equal(before, now), nil
	})
	if err != nil {
		t.Fatal("the cluster does not come to rest:", err)
	}
	return now
}

// await fails the test if the cluster does not become again what it was.
func await(t *testing.T, before map[string]string, config *rest.Config) {
	t.Helper()
	if diff := cmp.Diff(before, everything(t, config)); diff != "" {
		t.Errorf("objects of the cluster (-before +after):\n%s", diff)
	}
}

// snapshot has all objects of a cluster, except for what changes by itself.
func snapshot(t *testing.T, config *rest.Config) map[string]string {
	t.Helper()
	lists, err := kubernetes.NewForConfigOrDie(config).Discovery().ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		t.Fatal(err)
	}
	client := dynamic.NewForConfigOrDie(config)
	found := map[string]string{}
	for _, list := range lists {
		group, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || slices.Contains([]string{"events", "leases", "componentstatuses"}, resource.Name) {
				continue
			}
			objects, err := client.Resource(group.WithResource(resource.Name)).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				continue // its definition is going
			}
			for _, object := range objects.Items {
				for _, path := range [][]string{{"metadata", "managedFields"}, {"metadata", "resourceVersion"}, {"metadata", "generation"}, {"status"}} {
					unstructured.RemoveNestedField(object.Object, path...)
				}
				data, err := json.Marshal(object.Object)
				if err != nil {
					t.Fatal(err)
				}
				found[resource.Name+"."+group.Group+" "+object.GetNamespace()+"/"+object.GetName()] = string(data)
			}
		}
	}
	return found
}
