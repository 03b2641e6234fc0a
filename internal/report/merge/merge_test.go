package merge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

const version = "v1"

// suite is a small one.
func suite() []catalogue.Requirement {
	core := func(id string, relies ...string) catalogue.Requirement {
		return catalogue.Requirement{ID: id, Path: id, Level: catalogue.Core, ReliesOn: relies}
	}
	rights := catalogue.Requirement{ID: "RB-002", Path: "RB-002", Level: catalogue.Advice, WholeRun: true}
	return []catalogue.Requirement{core("RC-001"), core("SH-001"), core("SH-002", "SH-001"), core("SS-001"), rights}
}

// ran is the report of a run: of shard 2/3, as text, or of everything. The results are
// IDs, each with a verdict and perhaps a reason.
func ran(shard string, results ...string) *v1alpha1.ConformanceReport {
	r := &v1alpha1.ConformanceReport{Profile: "mine", Implementation: v1alpha1.Implementation{Name: "mine"}}
	r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
	r.Versions = v1alpha1.Versions{Reconform: version, Kubernetes: "v1.36.3", Chainsaw: "v0.2.15", Go: "go1", Platform: "linux/amd64"}
	if shard != "" {
		r.Shard = &v1alpha1.Shard{}
		fmt.Sscanf(shard, "%d/%d", &r.Shard.Index, &r.Shard.Count)
	}
	for _, text := range results {
		words := strings.SplitN(text, " ", 3)
		result := v1alpha1.Result{ID: words[0], Level: catalogue.Core, Verdict: v1alpha1.ResultVerdict(words[1])}
		if len(words) > 2 {
			result.Reason = words[2]
		}
		r.Results = append(r.Results, result)
	}
	verdict.Conclude(suite(), r)
	return r
}

func cutShort(r *v1alpha1.ConformanceReport, ids ...string) *v1alpha1.ConformanceReport {
	for _, id := range ids {
		r.Results = append(r.Results, v1alpha1.Result{ID: id, Verdict: v1alpha1.Skipped, Reason: "not judged: the run was interrupted"})
	}
	r.CutShort = &v1alpha1.CutShort{Reason: "the run was interrupted", NotJudged: ids}
	verdict.Conclude(suite(), r)
	return r
}

// parts of reports; nil for a folder without one.
func partsOf(reports ...*v1alpha1.ConformanceReport) []Part {
	var with, without []Part
	for n, r := range reports {
		if r == nil {
			without = append(without, Part{Dir: fmt.Sprintf("d%d", n+1)})
		} else {
			with = append(with, Part{Dir: fmt.Sprintf("d%d", n+1), Report: r})
		}
	}
	return append(with, without...)
}

func TestMerge(t *testing.T) {
	one, two := ran("1/2", "RC-001 Passed", "SH-002 Passed", "RB-002 Passed"), ran("2/2", "SH-001 Passed", "SS-001 Passed")
	for name, tc := range map[string]struct {
		parts   []*v1alpha1.ConformanceReport
		verdict v1alpha1.Verdict
		want    string // what is not plainly passed: verdicts and reasons
		cut     string // the reason, and what is not judged
	}{
		"all shards": {[]*v1alpha1.ConformanceReport{one, two}, v1alpha1.Conformant, "", ""},
		"one run":    {[]*v1alpha1.ConformanceReport{ran("", "RC-001 Passed", "SH-001 Passed", "SH-002 Passed", "SS-001 Passed", "RB-002 Passed")}, v1alpha1.Conformant, "", ""},
		"a shard is missing": {
			[]*v1alpha1.ConformanceReport{one},
			v1alpha1.Inconclusive,
			"RB-002 Skipped not judged: it needs the requests of all shards", "there is no report of shard 2/2: SH-001 SS-001",
		},
		"a shard that ended without a report": {
			[]*v1alpha1.ConformanceReport{two, nil},
			v1alpha1.Inconclusive, "",
			"there is no report of shard 1/2; the run in d2 ended without a report: RC-001 SH-002 RB-002",
		},
		"one more without a report": {
			[]*v1alpha1.ConformanceReport{one, two, nil},
			v1alpha1.Inconclusive,
			"RB-002 Skipped not judged: it needs the requests of all shards", "the run in d3 ended without a report: ",
		},
		"a shard is missing, and something failed": {
			[]*v1alpha1.ConformanceReport{ran("1/2", "RC-001 Failed no")},
			v1alpha1.NotConformant, "RC-001 Failed no",
			"there is no report of shard 2/2: SH-001 SH-002 SS-001 RB-002",
		},
		"a failure": {[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Failed no")}, v1alpha1.NotConformant, "SS-001 Failed no", ""},
		"the cause is in another shard": {
			[]*v1alpha1.ConformanceReport{ran("1/2", "RC-001 Passed", "SH-002 Failed at x", "RB-002 Passed"), ran("2/2", "SH-001 Failed at y", "SS-001 Passed")},
			v1alpha1.NotConformant, "SH-001 Failed at y; SH-002 Blocked blocked by SH-001: it relies on SH-001, which failed; itself it failed at x", "",
		},
		"skipped core": {[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Skipped cannot be mapped")}, v1alpha1.Partial, "SS-001 Skipped cannot be mapped", ""},
		"the same row, twice the same": {
			[]*v1alpha1.ConformanceReport{one, two, ran("2/2", "SH-001 Passed", "SS-001 Passed")}, v1alpha1.Conformant, "", "",
		},
		"the same row, twice failed": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Failed one"), ran("2/2", "SH-001 Passed", "SS-001 Failed other")},
			v1alpha1.NotConformant, "SS-001 Failed one", "",
		},
		"the same row, passed and failed": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Passed"), ran("2/2", "SH-001 Passed", "SS-001 Failed no")},
			v1alpha1.NotConformant, "SS-001 Flaky no; it passed in part 2", "",
		},
		"the same row, failed and flaky": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Failed no"), ran("2/2", "SH-001 Passed", "SS-001 Flaky once")},
			v1alpha1.NotConformant, "SS-001 Flaky once", "",
		},
		"the same row, inconclusive and passed": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Inconclusive busy"), ran("2/2", "SH-001 Passed", "SS-001 Passed")},
			v1alpha1.Conformant, "", "",
		},
		"the same row, inconclusive and failed": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Inconclusive busy"), ran("2/2", "SH-001 Passed", "SS-001 Failed no")},
			v1alpha1.NotConformant, "SS-001 Failed no", "",
		},
		"the same row, skipped and not exercised": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed", "SS-001 Skipped alone"), ran("2/2", "SH-001 Passed", "SS-001 NotExercised idle")},
			v1alpha1.Partial, "SS-001 NotExercised idle", "",
		},
		"cut short": {
			[]*v1alpha1.ConformanceReport{one, cutShort(ran("2/2", "SH-001 Passed"), "SS-001")},
			v1alpha1.Inconclusive,
			"SS-001 Skipped not judged: the run was interrupted; RB-002 Skipped not judged: it needs the requests of all shards", "in d2 the run was interrupted: SS-001",
		},
		"cut short, and done again": {
			[]*v1alpha1.ConformanceReport{one, cutShort(ran("2/2", "SH-001 Passed"), "SS-001"), two}, v1alpha1.Conformant, "", "",
		},
		"rows that nobody has": {
			[]*v1alpha1.ConformanceReport{one, ran("2/2", "SH-001 Passed")},
			v1alpha1.Inconclusive,
			"RB-002 Skipped not judged: it needs the requests of all shards", "no report has results of these requirements: SS-001",
		},
	} {
		t.Run(name, func(t *testing.T) {
			merged, err := Merge(partsOf(tc.parts...), suite(), version)
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, r := range merged.Results {
				if r.Verdict != v1alpha1.Passed {
					rows = append(rows, fmt.Sprintf("%s %s %s", r.ID, r.Verdict, r.Reason))
				}
			}
			if got := strings.Join(rows, "; "); merged.Verdict != tc.verdict || got != tc.want {
				t.Errorf("%s with %q, want %s with %q", merged.Verdict, got, tc.verdict, tc.want)
			}
			cut := ""
			if merged.CutShort != nil {
				cut = merged.CutShort.Reason + ": " + strings.Join(merged.CutShort.NotJudged, " ")
			}
			if diff := cmp.Diff(tc.cut, cut); diff != "" {
				t.Errorf("cut short (-want +got):\n%s", diff)
			}
		})
	}
}

// A mistake that is judged elsewhere, and that only one of two runs saw, makes no requirement
// flaky but its home: in each run by itself, the others had passed apart from it.
func TestViolationOnce(t *testing.T) {
	loop := v1alpha1.Violation{Rule: v1alpha1.RuleHotLoop, Message: "100 writes in 10 s"}
	saw := func(id, failure string, without *v1alpha1.Itself) v1alpha1.Result {
		return v1alpha1.Result{
			ID: id, Level: catalogue.Core, Verdict: v1alpha1.Failed, Reason: "HotLoop: 100 writes in 10 s",
			Evidence: &v1alpha1.Evidence{Violations: []v1alpha1.Violation{loop}, Failure: failure, Without: without},
		}
	}
	all := suite()
	for n := range all {
		if all[n].ID == "SS-001" {
			all[n].Judges = []string{v1alpha1.RuleHotLoop}
		}
	}
	passed := &v1alpha1.Itself{Verdict: v1alpha1.Passed}
	one, two := ran("", "RC-001 Passed", "RB-002 Passed"), ran("", "RC-001 Passed", "SH-001 Passed", "SH-002 Passed", "SS-001 Passed", "RB-002 Passed")
	one.Results = append(one.Results, saw("SH-001", "", passed), saw("SS-001", "", passed), saw("SH-002", "", &v1alpha1.Itself{Verdict: v1alpha1.ResultInconclusive, Reason: "busy"}))
	// As in the report of that run: the violation counts for its home, and not for SH-001.
	one.Results[2].Itself = &v1alpha1.Itself{Verdict: v1alpha1.Failed, Reason: one.Results[2].Reason}
	one.Results[2].Verdict, one.Results[2].Reason, one.Results[2].Beside = v1alpha1.Passed, "", []string{"HotLoop"}
	verdict.Conclude(all, one)
	merged, err := Merge(partsOf(one, two), all, version)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range merged.Results {
		got = append(got, fmt.Sprintf("%s %s %d", r.ID, r.Verdict, len(r.Beside)))
	}
	want := []string{"RC-001 Passed 0", "SH-001 Passed 1", "SH-002 Passed 0", "SS-001 Flaky 0", "RB-002 Passed 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestRepeats: what blocks what is settled for each repetition separately.
func TestRepeats(t *testing.T) {
	one, two := ran("1/2", "SH-001 Failed at y", "SH-001 Passed"), ran("2/2", "SH-002 Failed at x", "SH-002 Failed at x")
	for _, r := range []*v1alpha1.ConformanceReport{one, two} {
		r.Results[0].Repeat, r.Results[1].Repeat = 1, 2
	}
	merged, err := Merge(partsOf(one, two), suite(), version)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range merged.Results {
		got = append(got, fmt.Sprintf("%s %d %s in part %d", r.ID, r.Repeat, r.Verdict, r.Part))
	}
	want := []string{"SH-001 1 Failed in part 1", "SH-001 2 Passed in part 1", "SH-002 1 Blocked in part 2", "SH-002 2 Failed in part 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestCircumstances: what a report says beside its results is joined, or comes from the
// part that took longest.
func TestCircumstances(t *testing.T) {
	one, two := ran("1/2", "RC-001 Passed", "SH-002 Passed", "RB-002 Passed"), ran("2/2", "SH-001 Passed", "SS-001 Passed")
	seconds := func(n int) metav1.Duration { return metav1.Duration{Duration: time.Duration(n) * time.Second} }
	two.Versions.Platform = "linux/arm64"
	two.Date = metav1.Unix(100, 0)
	two.Isolation, one.Isolation = []string{"the network"}, []string{"the network", "processes"}
	one.Durations, two.Durations = v1alpha1.Durations{Total: seconds(1)}, v1alpha1.Durations{Total: seconds(2), ControlPlane: seconds(1)}
	one.SeenButUnclaimed = []v1alpha1.SeenButUnclaimed{{Feature: "service", Seen: "one"}}
	two.SeenButUnclaimed = []v1alpha1.SeenButUnclaimed{{Feature: "events"}, {Feature: "service", Seen: "two"}}
	one.Unserved = []v1alpha1.Unserved{{Request: "create pods/exec", Count: 2, Answer: "501", SeenIn: []string{"RC-001"}}}
	two.Unserved = []v1alpha1.Unserved{{Request: "create pods/exec", Count: 3, Answer: "501", SeenIn: []string{"SH-001"}}, {Request: "create pods/attach", Count: 1}}
	short, long := seconds(1), seconds(2)
	one.Measured = []v1alpha1.Measured{{Name: "start", Measured: &long, In: "RC-001"}, {Name: "silence"}}
	two.Measured = []v1alpha1.Measured{{Name: "start", Measured: &short}, {Name: "silence", Measured: &short}}
	one.Rights = &v1alpha1.Rights{Broad: []string{"all"}, Unused: []v1alpha1.UnusedRights{{Rule: "r", Rights: []string{"create of a", "create of b"}}, {Rule: "s", Rights: []string{"x"}}}}
	two.Rights = &v1alpha1.Rights{Broad: []string{"all"}, Unused: []v1alpha1.UnusedRights{{Rule: "r", Rights: []string{"create of b", "create of c"}}}}
	of := func(resource string) v1alpha1.Exemption { return v1alpha1.Exemption{Resources: []string{resource}} }
	one.Unused, two.Unused = []v1alpha1.Exemption{of("pods"), of("nodes")}, []v1alpha1.Exemption{of("nodes"), of("secrets")}
	merged, err := Merge(partsOf(one, two), suite(), version)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]v1alpha1.Exemption{of("nodes")}, merged.Unused); diff != "" {
		t.Errorf("exemptions that no part used (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(two.Durations, merged.Durations); diff != "" {
		t.Errorf("durations (-want +got):\n%s", diff)
	}
	if !merged.Date.Equal(&two.Date) || merged.Versions.Platform != "linux/amd64, linux/arm64" || merged.Versions.Go != "go1" || merged.Shard != nil {
		t.Errorf("date %s, versions %+v, shard %v", merged.Date, merged.Versions, merged.Shard)
	}
	if diff := cmp.Diff([]string{"the network", "processes"}, merged.Isolation); diff != "" {
		t.Errorf("isolation (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Unserved{
		{Request: "create pods/attach", Count: 1}, {Request: "create pods/exec", Count: 5, Answer: "501", SeenIn: []string{"RC-001", "SH-001"}},
	}, merged.Unserved); diff != "" {
		t.Errorf("unserved (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.SeenButUnclaimed{{Feature: "events"}, {Feature: "service", Seen: "one"}}, merged.SeenButUnclaimed); diff != "" {
		t.Errorf("unclaimed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Measured{{Name: "start", Measured: &long, In: "RC-001"}, {Name: "silence", Measured: &short}}, merged.Measured); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
	rights := merged.Results[len(merged.Results)-1]
	if diff := cmp.Diff([]string{"all", "r: not used in this run: create of b"}, rights.Advice); diff != "" || rights.Verdict != v1alpha1.Passed {
		t.Errorf("%s, advice (-want +got):\n%s", rights.Verdict, diff)
	}
	if len(merged.Parts) != 2 || merged.Parts[1].Total != seconds(2) || merged.Parts[1].Shard.String() != "2/2" {
		t.Errorf("parts: %+v", merged.Parts)
	}
}

// TestDoNotFit: an error names both folders, and what is different.
func TestDoNotFit(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ConformanceReport)
		want   string
	}{
		"profile":        {func(r *v1alpha1.ConformanceReport) { r.Profile = "other" }, "the reports in d1 and d2 are not from the same run: profile mine, and other"},
		"implementation": {func(r *v1alpha1.ConformanceReport) { r.Implementation.Version = "v2" }, "d1 and d2 are not from the same run: implementation mine, and mine v2"},
		"claims":         {func(r *v1alpha1.ConformanceReport) { r.Claims.Cleanup = "gc" }, "d1 and d2 are not from the same run: profile mine was changed between them"},
		"a day later": {
			func(r *v1alpha1.ConformanceReport) {
				r.Expired = []v1alpha1.Exemption{{Resources: []string{"events"}, Why: "noise", Expires: "2027-01-31"}}
			},
			"d1 and d2 are not from the same run: an exemption of profile mine, whose last day is 2027-01-31, ended between them",
		},
		"selection": {
			func(r *v1alpha1.ConformanceReport) {
				r.Selection = v1alpha1.Selection{Run: "^SH-", Selector: "slow!=true", RerunFailed: true}
			},
			"d1 and d2 are not from the same run: selection of everything, and --run ^SH- -l slow!=true --rerun-failed",
		},
		"other shards":        {func(r *v1alpha1.ConformanceReport) { r.Shard.Count = 3 }, "d1 and d2 are not from the same run: number of shards 2, and 3"},
		"no shard":            {func(r *v1alpha1.ConformanceReport) { r.Shard = nil }, "d1 and d2 are not from the same run: number of shards 2, and 1"},
		"time limits":         {func(r *v1alpha1.ConformanceReport) { r.TimeoutScale = 2 }, "d1 and d2 are not from the same run: --timeout-scale 1, and 2"},
		"Kubernetes":          {func(r *v1alpha1.ConformanceReport) { r.Versions.Kubernetes = "v1.35.0" }, "d1 and d2 are not from the same run: Kubernetes v1.36.3, and v1.35.0"},
		"suite":               {func(r *v1alpha1.ConformanceReport) { r.Versions.Reconform = "v2" }, "the report in d2 was made by Reconform v2, and this is v1"},
		"unknown requirement": {func(r *v1alpha1.ConformanceReport) { r.Results[0].ID = "XX-001" }, "the report in d2 was made by another Reconform: no requirement XX-001"},
	} {
		t.Run(name, func(t *testing.T) {
			other := ran("2/2", "SH-001 Passed")
			tc.change(other)
			if _, err := Merge(partsOf(ran("1/2", "RC-001 Passed"), other), suite(), version); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestRead: reports and folders of reports can be named.
func TestRead(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	folders := t.TempDir()
	in := func(name string) string { return filepath.Join(folders, name) }
	for name, r := range map[string]*v1alpha1.ConformanceReport{
		"one": ran("1/2", "RC-001 Passed"), "two": ran("2/2", "SH-001 Passed"), "empty": nil, "merged": ran("", "RC-001 Passed"), "corrupt": ran("", "RC-001 Passed"),
	} {
		if err := os.Mkdir(in(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "merged" {
			r.Parts = make([]v1alpha1.Part, 2)
		}
		if r == nil {
			continue
		}
		if err := report.Write(in(name), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(in("corrupt/"+report.YAMLFile), []byte("kind: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("one"), in("again")); err != nil {
		t.Fatal(err)
	}
	parts, err := Read([]string{in("empty"), in("two"), in("one")})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, p := range parts {
		order = append(order, filepath.Base(p.Dir))
	}
	if diff := cmp.Diff([]string{"one", "two", "empty"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	for name, tc := range map[string]struct {
		dirs []string
		want string
	}{
		"no such folder": {[]string{in("one"), in("three")}, "there is no folder " + in("three") + ": name the folders"},
		"a file":         {[]string{in("one/" + report.YAMLFile)}, " is a file: name the folder"},
		"twice":          {[]string{in("one"), in("again")}, in("one") + " and " + in("again") + " are the same folder"},
		"merged before":  {[]string{in("one"), in("merged")}, "the report in " + in("merged") + " was merged from 2 others"},
		"nothing there":  {[]string{in("empty")}, "there is no report (conformance-report.yaml) in "},
		"corrupt":        {[]string{in("one"), in("corrupt")}, in("corrupt") + "/conformance-report.yaml:1: not YAML: "},
	} {
		if _, err := Read(tc.dirs); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}
