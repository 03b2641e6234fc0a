package runner

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
)

// planOf everything, for a built-in profile.
func planOf(t *testing.T, name string) *Plan {
	t.Helper()
	p, err := profile.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	requirements := catalogue.Of(all, p.Spec.Contract.Name)
	plan, err := NewPlan(p, all)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(plan.Scenarios) + len(plan.Skipped); got != len(requirements) {
		t.Errorf("%d of %d requirements are planned or skipped", got, len(requirements))
	}
	return plan
}

func TestPlanSkipsWhatIsNotClaimed(t *testing.T) {
	plan := planOf(t, "sample-controller")
	if len(plan.Scenarios) == 0 || len(plan.Skipped) == 0 {
		t.Fatalf("%d planned, %d skipped", len(plan.Scenarios), len(plan.Skipped))
	}
	for _, skipped := range plan.Skipped {
		if skipped.Verdict != v1alpha1.Skipped || skipped.Reason == "" {
			t.Errorf("%s is %s for %q", skipped.ID, skipped.Verdict, skipped.Reason)
		}
	}
}

// TestPlanReliesOnWhatApplies: no failure says that it relies on a requirement which is not
// about this implementation.
func TestPlanReliesOnWhatApplies(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	one := slices.DeleteFunc(all, func(r catalogue.Requirement) bool { return r.ID != "SH-011" })
	for name, want := range map[string][]string{"reference": {"SH-003", "SH-004", "SH-002"}, "sample-controller": {"SH-003", "SH-004"}} {
		p, err := profile.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := NewPlan(p, one)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, plan.Scenarios[0].Requirement.ReliesOn); diff != "" {
			t.Errorf("%s: SH-011 relies on (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"SH-003", "SH-004", "SH-002"}, one[0].ReliesOn); diff != "" {
		t.Errorf("the requirement itself has changed (-want +got):\n%s", diff)
	}
}

// What a scenario does to the definitions, it does to everybody's objects.
func TestPlanSparesDefinitions(t *testing.T) {
	plan := planOf(t, profile.Default)
	planned, skipped := len(plan.Scenarios), len(plan.Skipped)
	plan.SpareDefinitions()
	if len(plan.Scenarios) == planned || len(plan.Scenarios)+len(plan.Skipped) != planned+skipped {
		t.Errorf("%d of %d are planned, %d of %d skipped", len(plan.Scenarios), planned, len(plan.Skipped), skipped)
	}
	for _, s := range plan.Scenarios {
		if s.Requirement.Serial {
			t.Errorf("%s is planned", s.Requirement.ID)
		}
	}
}

func TestPlanIsWritten(t *testing.T) {
	plan := planOf(t, profile.Default)
	dir := t.TempDir()
	all := []*Implementation{{Profile: &profile.Profile{}, Plan: plan}}
	scenarios, err := write(dir, all, 2, &Options{Repeat: 3, TimeoutScale: 1})
	if err != nil {
		t.Fatal(err)
	}
	namespaces := profiles(all, 3)
	if got, want := len(namespaces), 3*len(plan.Scenarios); got != want {
		t.Errorf("%d namespaces, want %d", got, want)
	}
	for _, s := range scenarios {
		if namespaces[s.namespace] == nil || s.repeat != 2 {
			t.Errorf("%s runs in %s, repeat %d", s.name(), s.namespace, s.repeat)
		}
		if declared := s.requirement.Takes; s.takes < declared {
			t.Errorf("%s takes %s, and declares %s", s.name(), s.takes, declared)
		}
		document, err := os.ReadFile(filepath.Join(s.folder, render.FileName))
		if err != nil {
			t.Error(err)
		}
		// Run alone, there would be no scheduler for them.
		if !s.requirement.NeedsPods && strings.Contains(string(document), "(spec.replicas == status.readyReplicas): true") {
			t.Errorf("%s waits for Pods: label it %s", s.requirement.ID, catalogue.LabelPods)
		}
	}
}

func TestMeasuring(t *testing.T) {
	const test = `
spec:
  steps:
  - try:
    - apply: {resource: {kind: Traffic, spec: {windowMs: 3000}}}
    - apply: {resource: {kind: Traffic, spec: {windowMs: (to_number('5'))}}}
  - try: [{create: {resource: {spec: {windowMs: 500}}}}]
`
	if got := measuring([]byte(test)); got != 3500*time.Millisecond {
		t.Errorf("measuring = %s, want 3.5s", got)
	}
}

func TestResultsAreSorted(t *testing.T) {
	plan := &Plan{order: map[string]int{"SH-001": 0, "RC-001": 1}}
	results := []v1alpha1.Result{{ID: "RC-001", Repeat: 2}, {ID: "SH-001", Repeat: 1}, {ID: "RC-001", Repeat: 1}}
	plan.sort(results)
	want := []v1alpha1.Result{{ID: "SH-001", Repeat: 1}, {ID: "RC-001", Repeat: 1}, {ID: "RC-001", Repeat: 2}}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestReproduce(t *testing.T) {
	requirement := catalogue.Requirement{ID: "SH-001"}
	for argument, want := range map[string]string{
		"":          "reconform run --run '^SH-001$'",
		"reference": "reconform run --run '^SH-001$'",
		"mine.yaml": "reconform run --profile mine.yaml --run '^SH-001$'",
	} {
		if got := (&Implementation{ProfileArgument: argument}).reproduce(requirement, &Options{}); got != want {
			t.Errorf("reproduce = %s, want %s", got, want)
		}
	}
	const scaled = "reconform run --profile mine.yaml --scenarios 'my own' --timeout-scale 2.5 --run '^SH-001$'"
	options := &Options{ScenarioArgument: "'my own'", TimeoutScale: 2.5}
	if got := (&Implementation{ProfileArgument: "mine.yaml"}).reproduce(requirement, options); got != scaled {
		t.Errorf("reproduce with other scenarios = %s, want %s", got, scaled)
	}
	if got, plain := (&Implementation{}).reproduce(requirement, &Options{TimeoutScale: 1}), "reconform run --run '^SH-001$'"; got != plain {
		t.Errorf("reproduce with the usual time limits = %s, want %s", got, plain)
	}
	const spaced = "reconform run --kubeconfig 'my own/kind.yaml' --context 'it'\\''s mine' --run '^SH-001$'"
	if got := (&Implementation{}).reproduce(requirement, &Options{Kubeconfig: "my own/kind.yaml", Context: "it's mine"}); got != spaced {
		t.Errorf("reproduce with names that a shell would split = %s, want %s", got, spaced)
	}
	const want = "reconform run --kubeconfig kind.yaml --in-cluster --run '^SH-001$'"
	if got := (&Implementation{}).reproduce(requirement, &Options{Kubeconfig: "kind.yaml", InCluster: true}); got != want {
		t.Errorf("reproduce on a cluster = %s, want %s", got, want)
	}
}

func TestOnlyWhatNeedsPodsHasThem(t *testing.T) {
	with, without := Planned{Requirement: catalogue.Requirement{NeedsPods: true}}, Planned{}
	for name, tc := range map[string]struct {
		scenarios []Planned
		want      bool
	}{
		"none does": {[]Planned{without, without}, false}, "one does": {[]Planned{without, with}, true}, "nothing": {nil, false},
	} {
		if got := needPods([]*Implementation{{Plan: &Plan{}}, {Plan: &Plan{Scenarios: tc.scenarios}}}); got != tc.want {
			t.Errorf("%s: needPods = %t", name, got)
		}
	}
}

// TestApart also checks that the order stays.
func TestApart(t *testing.T) {
	var scenarios []scenario
	for _, r := range []catalogue.Requirement{
		{ID: "SC-002", Slow: true, Takes: 2 * time.Minute},
		{ID: "RB-004", Takes: 2 * time.Minute},
		{ID: "SH-001"},
		{ID: "CS-012", Serial: true},
		{ID: "CS-013", Serial: true, Slow: true},
		{ID: "SC-001", Slow: true},
		{ID: "SH-002", Takes: time.Minute},
	} {
		scenarios = append(scenarios, scenario{requirement: r})
	}
	p := apart(scenarios)
	got := [][]string{idsOf(p.together), idsOf(p.slow), idsOf(p.serial)}
	if diff := cmp.Diff([][]string{{"RB-004", "SH-001", "SH-002"}, {"SC-002", "SC-001"}, {"CS-012", "CS-013"}}, got); diff != "" {
		t.Error(diff)
	}
}

func idsOf(scenarios []scenario) []string {
	var ids []string
	for _, s := range scenarios {
		ids = append(ids, s.requirement.ID)
	}
	return ids
}

// The very long ones decide how long a round takes. After them come those on which others
// rely, even if they are short. If the time is limited, they come last.
func TestSortByStart(t *testing.T) {
	var scenarios []scenario
	for _, r := range []catalogue.Requirement{
		{ID: "SH-001"},
		{ID: "SH-003"},
		{ID: "LT-006", Takes: 20 * time.Second, ReliesOn: []string{"RC-005", "SH-003"}},
		{ID: "RT-022", Takes: 45 * time.Second},
		{ID: "RT-025", Takes: 40 * time.Second, ReliesOn: []string{"RT-022"}},
		{ID: "RB-004", Takes: 125 * time.Second},
		{ID: "RC-005", ReliesOn: []string{"RC-001"}},
		{ID: "CS-005", Takes: 20 * time.Second, ReliesOn: []string{"RC-005"}},
		{ID: "SS-016", Takes: 135 * time.Second, ReliesOn: []string{"SS-001"}},
	} {
		scenarios = append(scenarios, scenario{requirement: r, takes: r.Takes})
	}
	for maxTime, want := range map[time.Duration][]string{
		0:           {"SS-016", "RB-004", "RC-005", "RT-022", "SH-003", "RT-025", "LT-006", "CS-005", "SH-001"},
		time.Minute: {"RC-005", "SH-003", "RT-022", "SH-001", "LT-006", "CS-005", "RT-025", "RB-004", "SS-016"},
	} {
		sortByStart(scenarios, maxTime)
		if diff := cmp.Diff(want, idsOf(scenarios)); diff != "" {
			t.Errorf("at most %v\n%s", maxTime, diff)
		}
	}
}

// Slow scenarios run beside the others only where enough is left for those.
func TestSlowBeside(t *testing.T) {
	half, all := max(1, runtime.GOMAXPROCS(0)/2), runtime.GOMAXPROCS(0)
	withQPS := func(qps int32) *profile.Profile {
		p := &profile.Profile{}
		p.Spec.Claims.ClientQPS = qps
		return p
	}
	for name, tc := range map[string]struct {
		options  Options
		parallel int
		want     int
	}{
		"as many as the machine can": {Options{}, scenariosPerCore * runtime.GOMAXPROCS(0), half},
		"one at a time":              {Options{}, 1, 0},
		"few at a time":              {Options{}, fewAtOnce*half - 1, 0},
		"enough":                     {Options{}, fewAtOnce * half, half},
		"its client waits":           {Options{Profile: withQPS(5)}, 1000, all},
		"its client is quick":        {Options{Profile: withQPS(50)}, 1000, half},
		"its client has no limit":    {Options{Profile: withQPS(0)}, 1000, half},
		"the first failure ends it":  {Options{FailFast: true}, 1000, 0},
		"on nodes":                   {Options{Kubeconfig: "theirs"}, 1000, 0},
	} {
		if got := tc.options.slowBeside(tc.parallel); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// The stock chainsaw runs all scenarios but those that .chainsaw.yaml leaves out: these
// are for other controllers than the reference, or change what all share.
func TestStockChainsawLeavesOut(t *testing.T) {
	data, err := os.ReadFile("../../.chainsaw.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, profile.Default)
	plan.SpareDefinitions()
	var names []string
	for _, skipped := range plan.Skipped {
		names = append(names, strings.ToLower(skipped.ID))
	}
	slices.Sort(names)
	names = append(names, "bk-.*", "nd-00[12378]") // of another contract, and what needs nodes
	if want := "excludeTestRegex: ^chainsaw$/^(" + strings.Join(names, "|") + ")$\n"; !strings.Contains(string(data), want) {
		t.Errorf(".chainsaw.yaml has no line %s", want)
	}
}
