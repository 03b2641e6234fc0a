package runner

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

const oneIdentity = "needs several replicas, and this machine cannot give two replicas identities of their own: no namespaces (the test says so)"

const noFolder = "lets the controller compete for its Lease, and this machine cannot give a replica the folder by which it finds the namespace of its Lease: no namespaces (the test says so)"

// TestMachineWithoutIdentities checks that only scenarios with one replica run.
func TestMachineWithoutIdentities(t *testing.T) {
	startsControlPlane(t)
	log.SetLogger(logr.Discard())
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckFiles(); err != nil {
		t.Skip("the reference controller is not built:", err)
	}
	plan, err := NewPlan(p, requirementsOf(t, "RC-001", "LF-001"))
	if err != nil {
		t.Fatal(err)
	}
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	results, err := RunAll(t.Context(), []*Implementation{{Name: "sound", Profile: p, Plan: plan}}, Options{
		TimeoutScale: 1, ReportDir: t.TempDir(), Console: screen, Launcher: sandbox.NewPlainLauncher("the test says so"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, result := range results["sound"] {
		got = append(got, result.ID+" "+string(result.Verdict)+" "+result.Reason)
	}
	want := []string{"RC-001 Passed ", "LF-001 Skipped " + oneIdentity}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// TestReplicasAreLookedFor: if replicas have no identities of their own, the
// requirements that need two replicas are left out. LF-009 and SD-003 start only one,
// but need a folder for its credentials.
func TestReplicasAreLookedFor(t *testing.T) {
	options := &Options{Launcher: sandbox.NewPlainLauncher("the test says so")}
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, profile.Default)
	plan.Scenarios = slices.DeleteFunc(plan.Scenarios, func(s Planned) bool { return s.Requirement.Nodes })
	before := len(plan.Skipped)
	if err := fit(t.Context(), []*Implementation{{Profile: p, Plan: plan}}, options); err != nil {
		t.Fatal(err)
	}
	for _, result := range plan.Skipped[before:] {
		want := oneIdentity
		if result.ID == "LF-009" || result.ID == "SD-003" {
			want = noFolder
		} else if result.Area != "leader-failover" && result.ID != "SD-005" && result.ID != "ND-005" && result.ID != "ND-006" {
			t.Errorf("%s is left out", result.ID)
		}
		if result.Verdict != v1alpha1.Skipped || result.Reason != want {
			t.Errorf("%s is %s: %s", result.ID, result.Verdict, result.Reason)
		}
	}
	for _, planned := range plan.Scenarios {
		if planned.Requirement.Area == "leader-failover" || planned.Requirement.ID == "SD-003" {
			t.Errorf("%s runs", planned.Requirement.ID)
		}
	}

	plan, err = NewPlan(p, requirementsOf(t, "LF-001", "LF-002"))
	if err != nil {
		t.Fatal(err)
	}
	err = fit(t.Context(), []*Implementation{{Profile: p, Plan: plan}}, options)
	if err == nil || !strings.HasPrefix(err.Error(), "nothing to run: ") || !strings.Contains(err.Error(), "the test says so") {
		t.Errorf("fit = %v", err)
	}
}

// TestClusterOfOthers: on a cluster of the user, no scenario changes what all share.
func TestClusterOfOthers(t *testing.T) {
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	for kubeconfig, want := range map[string]string{
		"": "", "/theirs": "changes something that all scenarios share, and the cluster of --kubeconfig is used by others, too",
	} {
		plan := planOf(t, profile.Default)
		options := &Options{Launcher: sandbox.NewPlainLauncher("the test says so"), Kubeconfig: kubeconfig}
		if err := fit(t.Context(), []*Implementation{{Profile: p, Plan: plan}}, options); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, result := range plan.Skipped {
			if result.ID == "CS-012" {
				got = result.Reason
			}
		}
		if got != want {
			t.Errorf("with --kubeconfig %q CS-012 is skipped for %q, want %q", kubeconfig, got, want)
		}
	}
}

// TestNodesAreLookedFor: requirements about nodes are judged only on nodes. Those about
// the controller's own Pod are judged only if it runs as a Pod.
func TestNodesAreLookedFor(t *testing.T) {
	p, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		options Options
		asked   map[string]bool
	}{
		"local":              {Options{}, map[string]bool{"ND-010": true}},
		"a cluster":          {Options{Kubeconfig: "of a user"}, map[string]bool{"ND-007": true}},
		"a Pod on a cluster": {Options{Kubeconfig: "of a user", InCluster: true}, map[string]bool{"ND-003": true, "ND-007": true}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.options.Launcher = sandbox.NewPlainLauncher("the test says so")
			plan, err := NewPlan(p, requirementsOf(t, "RC-001", "ND-003", "ND-007", "ND-010"))
			if err != nil {
				t.Fatal(err)
			}
			if err := fit(t.Context(), []*Implementation{{Profile: p, Plan: plan}}, &tc.options); err != nil {
				t.Fatal(err)
			}
			asked := map[string]bool{}
			for _, s := range plan.Scenarios {
				if s.Requirement.Nodes || s.Requirement.OwnNodes {
					asked[s.Requirement.ID] = true
				}
			}
			if diff := cmp.Diff(tc.asked, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}
