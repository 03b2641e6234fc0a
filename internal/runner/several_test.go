package runner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestRunAll judges the reference controller twice at the same time. The second profile
// says something wrong: the controller accepts values that the profile calls out of
// bounds.
func TestRunAll(t *testing.T) {
	startsControlPlane(t)
	log.SetLogger(logr.Discard())
	sound, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	if err := sound.CheckFiles(); err != nil {
		t.Skip("the reference controller is not built:", err)
	}
	requirements := requirementsOf(t, "RC-001", "RB-002", "VA-002", "CS-012")
	dir := t.TempDir()
	var implementations []*Implementation
	for _, i := range []*Implementation{
		{Name: "sound", Profile: sound},
		{Name: "sound-but-narrow", Profile: edited(t, sound, "maximum: 50", "maximum: 40"), ProfileArgument: "narrow.yaml"},
	} {
		if i.Plan, err = NewPlan(i.Profile, requirements); err != nil {
			t.Fatal(err)
		}
		implementations = append(implementations, i)
	}
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	results, err := RunAll(t.Context(), implementations, Options{TimeoutScale: 1, ReportDir: dir, Console: screen})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for name, list := range results {
		for _, result := range list {
			got[name] = append(got[name], result.ID+" "+string(result.Verdict))
		}
	}
	want := map[string][]string{
		"sound":            {"RC-001 Passed", "RB-002 Skipped", "VA-002 Passed", "CS-012 Passed"},
		"sound-but-narrow": {"RC-001 Passed", "RB-002 Skipped", "VA-002 Failed", "CS-012 Passed"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("verdicts (-want +got):\n%s\n%+v", diff, results)
	}
	evidence := results["sound-but-narrow"][2].Evidence
	if evidence.Namespace != "reconform-sound-but-narrow-va-002" || evidence.Reproduce != "reconform run --profile narrow.yaml --run '^VA-002$'" {
		t.Errorf("evidence: %+v", evidence)
	}
	history, err := os.ReadFile(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range implementations {
		for _, requirement := range []catalogue.Requirement{requirements[0], requirements[3]} {
			namespace := i.namespace(requirement, 1, 1)
			if !bytes.Contains(history, []byte(namespace)) {
				t.Errorf("the history knows nothing of %s", namespace)
			}
			if lines := linesSince(filepath.Join(dir, "logs", namespace), 1, nil); len(lines) == 0 {
				t.Errorf("there is no log of %s", namespace)
			}
		}
	}
	// CS-012 changes a definition: it had a control plane of its own.
	if _, err := os.Stat(filepath.Join(dir, "logs", "controlplane-alone", "kube-apiserver.log")); err != nil {
		t.Errorf("the log of the second control plane: %v", err)
	}
}

// requirementsOf the catalogue, in its order.
func requirementsOf(t *testing.T, ids ...string) []catalogue.Requirement {
	t.Helper()
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var selected []catalogue.Requirement
	for _, id := range ids {
		for _, requirement := range all {
			if requirement.ID == id {
				selected = append(selected, requirement)
			}
		}
	}
	return selected
}

// edited is a profile with one change in its file.
func edited(t *testing.T, p *profile.Profile, old, new string) *profile.Profile {
	t.Helper()
	text, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), old) != 1 {
		t.Fatalf("%s does not say %q once", p.File, old)
	}
	other, err := profile.Parse(p.File, []byte(strings.Replace(string(text), old, new, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return other
}

func TestImplementationsAreToldApart(t *testing.T) {
	for name, tc := range map[string]struct {
		names []string
		want  string
	}{
		"two":        {[]string{"a", "b-2"}, ""},
		"none":       {nil, "no implementation to judge is given"},
		"the same":   {[]string{"a", "a"}, "two implementations are named a"},
		"unnamed":    {[]string{""}, `implementation "": its name may have lower-case letters, digits and hyphens, 40 at most`},
		"too long":   {[]string{strings.Repeat("a", 41)}, `implementation "` + strings.Repeat("a", 41) + `": its name may have lower-case letters, digits and hyphens, 40 at most`},
		"upper case": {[]string{"A"}, `implementation "A": its name may have lower-case letters, digits and hyphens, 40 at most`},
	} {
		t.Run(name, func(t *testing.T) {
			var all []*Implementation
			for _, name := range tc.names {
				all = append(all, &Implementation{Name: name})
			}
			got := ""
			if err := checkNames(all); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("checkNames = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestNamespacesFit checks the longest name, with what scenarios add to it: at most
// "-other".
func TestNamespacesFit(t *testing.T) {
	i := &Implementation{Name: strings.Repeat("a", 40)}
	if name := i.namespace(catalogue.Requirement{Name: "sh-001"}, 1, 1) + "-other"; len(name) > 63 {
		t.Errorf("%s has %d characters", name, len(name))
	}
}

func TestTitles(t *testing.T) {
	requirement := catalogue.Requirement{ID: "SH-001", Name: "sh-001"}
	for name, want := range map[string][3]string{
		"":      {"sh-001", "SH-001", "reconform-sh-001"},
		"other": {"other-sh-001", "SH-001 other", "reconform-other-sh-001"},
	} {
		i := &Implementation{Name: name}
		s := scenario{implementation: i, requirement: requirement, namespace: i.namespace(requirement, 1, 1)}
		if got := [3]string{s.name(), s.title(), s.namespace}; got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestOneThatMustRunAloneSlowsAll: one implementation has a Lease in a fixed namespace,
// or a fixed port on a network that all replicas share. Then nothing runs side by side.
func TestOneThatMustRunAloneSlowsAll(t *testing.T) {
	free, alone, fixed := &profile.Profile{}, &profile.Profile{}, &profile.Profile{}
	alone.Spec.Launch.Serial = true
	fixed.Spec.Launch.FixedPorts = map[string]int32{"health": 8081}
	for name, test := range map[string]struct {
		profiles  []*profile.Profile
		inCluster bool
		want      int
	}{
		"none":                   {[]*profile.Profile{free}, false, 7},
		"one":                    {[]*profile.Profile{free, alone}, false, 1},
		"a fixed port":           {[]*profile.Profile{free, fixed}, false, 1},
		"a fixed port, in a Pod": {[]*profile.Profile{free, fixed}, true, 7},
		"one, and both are Pods": {[]*profile.Profile{free, alone}, true, 1},
	} {
		var all []*Implementation
		for _, p := range test.profiles {
			all = append(all, &Implementation{Profile: p})
		}
		options := &Options{Parallel: 7, InCluster: test.inCluster, Launcher: &sandbox.Launcher{}}
		if count, _ := options.parallel(options.serial(all)); count != test.want {
			t.Errorf("%s: %d side by side, want %d", name, count, test.want)
		}
	}
}

// TestNodeResources: the Nodes are large enough for the Pods of each profile.
func TestNodeResources(t *testing.T) {
	with := func(resources map[string]int64) *profile.Profile {
		p := &profile.Profile{}
		p.Spec.Install.NodeResources = resources
		return p
	}
	got := map[string]int64{}
	for name, count := range nodeResources([]*profile.Profile{
		with(map[string]int64{"nvidia.com/gpu": 2, "example.com/disk": 1}), with(nil), with(map[string]int64{"nvidia.com/gpu": 8}),
		with(map[string]int64{"nvidia.com/gpu": 4}),
	}) {
		got[string(name)] = count.Value()
	}
	if diff := cmp.Diff(map[string]int64{"nvidia.com/gpu": 8, "example.com/disk": 1}, got); diff != "" {
		t.Error(diff)
	}
}
