package explore

import (
	"fmt"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestReproduce: a shell reads the names in the command as they are.
func TestReproduce(t *testing.T) {
	for want, r := range map[string]*v1alpha1.ExploreReport{
		"reconform run --profile mine.yaml --scenarios '/my reports/explore-scenarios' LT-901":                          {Profile: "mine.yaml"},
		"reconform run --profile 'my own.yaml' --kubernetes v1.35.4 --scenarios '/my reports/explore-scenarios' LT-901": {Profile: "my own.yaml", Kubernetes: "v1.35.4"},
	} {
		if got := Reproduce(r, "/my reports", 1); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestScenariosOfManyCauses: the ID of a scenario has three digits, so of a hundred causes the last
// ones have none. Each that is written can be run.
func TestScenariosOfManyCauses(t *testing.T) {
	e, dir := exploring(nil), t.TempDir()
	e.target.Profile = &profile.Profile{}
	for i := range 101 {
		e.findings = append(e.findings, found("create", 1, 2, 2, missing(fmt.Sprintf("services demo%d", i))))
	}
	r := e.Report()
	if err := e.WriteScenarios(dir, r); err != nil {
		t.Fatal(err)
	}
	for i, cause := range r.Causes {
		if want := i < 99; (cause.Scenario != "") != want || (cause.Reproduce != "") != want {
			t.Errorf("cause %d: scenario %q, again %q", i+1, cause.Scenario, cause.Reproduce)
		}
	}
	if !strings.HasSuffix(r.Causes[98].Reproduce, " LT-999") {
		t.Errorf("the last one: %s", r.Causes[98].Reproduce)
	}
}

// TestCausesThatAreNotShown: a summary says how many causes it leaves out.
func TestCausesThatAreNotShown(t *testing.T) {
	for count, want := range map[int]string{20: "", 21: "The report has 1 more cause.", 22: "The report has 2 more causes."} {
		r := &v1alpha1.ExploreReport{}
		for range count {
			r.Causes = append(r.Causes, v1alpha1.ExploredCause{About: "x", Cases: make([]v1alpha1.ExploredCase, 1)})
		}
		if got := Summary(r); !strings.Contains(got, want) || strings.Contains(got, "more cause") != (want != "") {
			t.Errorf("%d causes: %s, want %q", count, got, want)
		}
	}
}
