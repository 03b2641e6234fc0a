package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

func field(object, path string) v1alpha1.Divergence {
	return v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: object, Path: path, Expected: "2", Found: "3"}
}

func missing(object string) v1alpha1.Divergence {
	return v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: object}
}

// found is a finding with these divergences.
func found(operation string, steps, came, tries int, divergences ...v1alpha1.Divergence) *finding {
	return &finding{
		plan:  &Plan{Operation: Operation{Name: operation, Steps: make([]v1alpha1.TrialOperation, steps)}, Point: "at create services demo", Sort: "500", Disturb: &v1alpha1.TrialDisturbance{}},
		first: &tried{TrialStatus: v1alpha1.TrialStatus{Divergences: divergences}}, came: came, tries: tries, confirmed: true,
	}
}

func TestCauses(t *testing.T) {
	got := causes([]*finding{
		found("edit-image", 2, 2, 2, field("deployments.apps demo", "spec.replicas")),
		found("edit-port", 2, 2, 2, field("webapps.a demo", "status.phase"), missing("services demo")),
		found("create", 1, 2, 3, missing("services demo"), field("webapps.a demo", "status.phase")),
		found("delete", 2, 2, 2, missing("jobs.batch demo-x7k2p")),
		found("recreate", 2, 2, 2, missing("jobs.batch demo-b4zq9")),
		found("restart", 2, 2, 2, missing("services demo")),
	})
	var summary []string
	for _, c := range got {
		var operations []string
		for _, f := range c.findings {
			operations = append(operations, f.plan.Operation.Name)
		}
		summary = append(summary, c.divergence.Object+" "+c.divergence.Path+": "+strings.Join(operations, ", "))
	}
	want := []string{
		"services demo : create, edit-port, restart", // the simplest first, and what is missing tells more than a status
		"jobs.batch demo-x7k2p : delete, recreate",   // with random names
		"deployments.apps demo spec.replicas: edit-image",
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

func TestWhatAUserSees(t *testing.T) {
	f := found("edit-image", 2, 2, 2, field("deployments.apps demo", "spec.replicas"))
	want := "After an edit of image, if create services demo fails once (500), spec.replicas of deployments.apps demo stays 3, where 2 is right."
	if got := inProduction(f, f.first.Divergences[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.first.Repaired = true
	if got := inProduction(f, f.first.Divergences[0]); !strings.Contains(got, "stays 3 until something else happens to the object") {
		t.Errorf("repaired later: %s", got)
	}
	for _, tc := range []struct{ expected, found, want string }{
		{snapshot.Absent, `"None"`, `spec.clusterIP of services demo stays "None" until something else happens to the object, where it should not be set.`},
		{`"Cluster"`, snapshot.Absent, `spec.clusterIP of services demo is not set until something else happens to the object, where "Cluster" is right.`},
		{`"nothing"`, `"None"`, `spec.clusterIP of services demo stays "None" until something else happens to the object, where "nothing" is right.`},
	} {
		d := field("services demo", "spec.clusterIP")
		d.Expected, d.Found = tc.expected, tc.found
		if got := inProduction(f, d); !strings.HasSuffix(got, tc.want) {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// Of two values of a status that the controller wrote, neither is told to be right, unless it
// corrected the one after the disturbance itself.
func TestWhichStatusIsRight(t *testing.T) {
	const words = "%s of webapps demo %s."
	for name, tc := range map[string]struct {
		path, expected, found string
		change                func(*finding)
		want                  string
	}{
		"undisturbed it missed something": {path: "status.readyReplicas", expected: "0", found: "2", want: "is 2 in the end, and 0 otherwise: one of the two is wrong"},
		"a condition is missing":          {path: "status.conditions[Ready]", expected: snapshot.Absent, found: "True", want: "is True in the end, and not set otherwise: one of the two is wrong"},
		"the whole status":                {path: "status", expected: "{}", found: snapshot.Absent, want: "is not set in the end, and {} otherwise: one of the two is wrong"},
		"it corrected it":                 {path: "status.phase", expected: "2", found: "0", change: func(f *finding) { f.first.Repaired = true }, want: "stays 0 until something else happens to the object, where 2 is right"},
		"a new process corrected it":      {path: "status.phase", expected: "2", found: "0", change: func(f *finding) { f.plan.RestartAtEnd = true }, want: "stays 0 until the controller is restarted, where 2 is right"},
		"somebody else wrote it":          {path: "status.phase", expected: "2", found: "42", change: func(f *finding) { f.plan.Sort = "status-edited" }, want: "stays 42, where 2 is right"},
		"a field of the spec":             {path: "spec.statusPort", expected: "2", found: "0", want: "stays 0, where 2 is right"},
	} {
		t.Run(name, func(t *testing.T) {
			d := field("webapps demo", tc.path)
			d.Expected, d.Found = tc.expected, tc.found
			f := found("edit-image", 2, 2, 2, d)
			if tc.change != nil {
				tc.change(f)
			}
			if got, want := inProduction(f, d), fmt.Sprintf(words, tc.path, tc.want); !strings.HasSuffix(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestAgreed: only what came in two tries is confirmed. What came once beside it is not told with
// it, though it may tell more.
func TestAgreed(t *testing.T) {
	a, b, c := field("deployments.apps demo", "spec.replicas"), field("deployments.apps demo", "spec.paused"), missing("services demo")
	b2 := b
	b2.Found = "7"
	of := func(divergences ...v1alpha1.Divergence) []v1alpha1.Divergence { return divergences }
	for name, tc := range map[string]struct {
		tries [][]v1alpha1.Divergence
		want  []v1alpha1.Divergence // of the first try that shows them
		came  int
	}{
		"one try":                    {[][]v1alpha1.Divergence{of(a)}, nil, 0},
		"twice the same":             {[][]v1alpha1.Divergence{of(a), of(a)}, of(a), 2},
		"another value":              {[][]v1alpha1.Divergence{of(b), of(b2)}, of(b), 2},
		"another field":              {[][]v1alpha1.Divergence{of(a), of(b)}, nil, 0},
		"one came once only":         {[][]v1alpha1.Divergence{of(a, c), of(a)}, of(a), 2},
		"not in the first try":       {[][]v1alpha1.Divergence{of(c), of(b2), nil, of(b)}, of(b2), 2},
		"two came":                   {[][]v1alpha1.Divergence{of(a, c), of(c, a, b)}, of(a, c), 2},
		"twice in one try":           {[][]v1alpha1.Divergence{of(a, a), nil}, nil, 0},
		"the cause is in the second": {[][]v1alpha1.Divergence{of(a), of(a, c), of(c)}, of(a, c), 2},
	} {
		var tries []*tried
		for _, divergences := range tc.tries {
			tries = append(tries, &tried{TrialStatus: v1alpha1.TrialStatus{Divergences: divergences}})
		}
		first, came := agreed(tries)
		var got []v1alpha1.Divergence
		if first != nil {
			got = first.Divergences
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || came != tc.came {
			t.Errorf("%s: came %d times, want %d; divergences (-want +got):\n%s", name, came, tc.came, diff)
		}
	}
}

// A cause that was confirmed in several plans needs no more proof.
func TestKnownCause(t *testing.T) {
	e := &Exploration{}
	divergences := []v1alpha1.Divergence{missing("services demo")}
	for range known {
		if e.isKnown(divergences) {
			t.Fatalf("known after %d", len(e.findings))
		}
		e.findings = append(e.findings, found("create", 1, 2, 2, divergences...))
	}
	if !e.isKnown(divergences) || e.isKnown([]v1alpha1.Divergence{missing("deployments.apps demo")}) {
		t.Error("the wrong causes are known")
	}
}
