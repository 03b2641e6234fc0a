package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
)

func TestControllerThatDoesNotStart(t *testing.T) {
	for name, tc := range map[string]struct{ profile, scale, want string }{
		"it ends at once": {
			"crashing", "1", "the controller does not start: subject-0: exited with status 7; its last words: no database (3 times)",
		},
		"it is never ready": {"idle", "0.1", "the controller does not start: subject-0 runs, but is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := t.TempDir()
			status, stdout, stderr := run(t, "run", "--profile", "testdata/"+tc.profile+".yaml", "--run", "^SH-00",
				"--timeout-scale", tc.scale, "--report-dir", reports)
			if status != 3 || !strings.Contains(stdout, "crashing-controller is not judged") || strings.Count(stderr, tc.want) != 1 {
				t.Errorf("status %d, want 3, and %q once:\n%s%s", status, tc.want, stderr, stdout)
			}
			report := readReport(t, reports)
			if report.Verdict != v1alpha1.Inconclusive || report.Summary.Blocked == 0 || report.Summary.Failed+report.Summary.Passed > 0 {
				t.Errorf("verdict %s, %+v", report.Verdict, report.Summary)
			}
			if report.NotStarted == nil || !strings.Contains(report.NotStarted.Reason, tc.want) {
				t.Errorf("the report says of the start: %+v", report.NotStarted)
			}
		})
	}
}

func readReport(t *testing.T, dir string) *v1alpha1.ConformanceReport {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "conformance-report.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	report := &v1alpha1.ConformanceReport{}
	if err := yaml.UnmarshalStrict(data, report); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestClusterOfTheUser runs on a cluster that outlives the run.
func TestClusterOfTheUser(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(t.TempDir(), "step.md"))
	cluster, err := envtest.Start(t.Context(), envtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("PATH", cluster.AssetsDir()+string(os.PathListSeparator)+os.Getenv("PATH"))
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := cluster.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	reports := t.TempDir()
	args := []string{"run", "--kubeconfig", kubeconfig, "--report-dir", reports, "--run", "^(RC-001|SH-001)$", "--repeat", "2"}

	before := clusterWide(t, client)
	status, stdout, stderr := run(t, args...)
	if status != statusOK || !strings.Contains(stdout, "4 passed, 0 failed") {
		t.Fatalf("status %d, want %d, and 4 passed:\n%s%s", status, statusOK, stderr, stdout)
	}
	if !strings.Contains(stdout, "\n2 of ") || !strings.Contains(stdout, "webapp-controller is partial: nothing failed") {
		t.Errorf("two of all core requirements were selected, want a partial verdict that says so:\n%s", stdout)
	}
	if got := readReport(t, reports); got.Verdict != v1alpha1.Partial || got.Core.Judged != 2 || got.Core.Total <= 2 {
		t.Errorf("verdict %s, core %+v, want a partial one with two judged", got.Verdict, got.Core)
	}
	if diff := cmp.Diff(before, clusterWide(t, client)); diff != "" {
		t.Errorf("cluster-wide objects (-before +after):\n%s", diff)
	}
	if _, err := client.Discovery().RESTClient().Get().AbsPath("/apis/reconform.dev/v1alpha1").DoRaw(t.Context()); err != nil {
		t.Errorf("the CRDs are gone: %v", err)
	}
	for _, result := range readReport(t, reports).Results {
		if result.Repeat == 0 || result.Verdict != v1alpha1.Passed {
			t.Errorf("%s, repeat %d: %s", result.ID, result.Repeat, result.Verdict)
		}
	}
	summary, err := os.ReadFile(os.Getenv("GITHUB_STEP_SUMMARY"))
	if err != nil || !strings.Contains(string(summary), "4 passed") {
		t.Errorf("summary for GitHub: %v\n%s", err, summary)
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
}

// clusterWide names what could be left behind on a cluster.
func clusterWide(t *testing.T, client kubernetes.Interface) []string {
	t.Helper()
	var names []string
	namespaces, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range namespaces.Items {
		names = append(names, "namespace "+o.Name)
	}
	roles, err := client.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range roles.Items {
		names = append(names, "cluster role "+o.Name)
	}
	bindings, err := client.RbacV1().ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range bindings.Items {
		names = append(names, "cluster role binding "+o.Name)
	}
	return names
}
