package merge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// exploredShard is the report of one of two shards, which found these causes.
func exploredShard(index int, ids ...string) ExploredPart {
	r := &v1alpha1.ExploreReport{
		Verdict: v1alpha1.Converges, Profile: "mine.yaml", Shard: &v1alpha1.Shard{Index: index, Count: 2},
		Plans: v1alpha1.ExplorePlans{Planned: 5, Done: 4, Unreached: 1, All: 10}, Operations: []v1alpha1.ExploredOperation{{Name: "create", Plans: 5}},
	}
	for n, id := range ids {
		r.Verdict = v1alpha1.Diverges
		r.Causes = append(r.Causes, v1alpha1.ExploredCause{
			ID: id, Scenario: "explore-scenarios/level-triggered/1-x", Cases: []v1alpha1.ExploredCase{{Plan: id, Steps: make([]string, 2-n)}},
		})
	}
	return ExploredPart{Dir: string(rune('a' + index - 1)), Report: r}
}

func TestExplored(t *testing.T) {
	got, err := Explored([]ExploredPart{exploredShard(2, "EX-00000002", "EX-00000001"), exploredShard(1, "EX-00000001")})
	if err != nil {
		t.Fatal(err)
	}
	var causes []string
	for _, c := range got.Causes {
		causes = append(causes, c.ID+" "+c.Scenario+strings.Repeat(" case", len(c.Cases)))
	}
	// The simplest case is that of the second shard.
	want := []string{"EX-00000001 b/explore-scenarios/level-triggered/1-x case case", "EX-00000002 b/explore-scenarios/level-triggered/1-x case"}
	if diff := cmp.Diff(want, causes); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	plans := v1alpha1.ExplorePlans{Planned: 10, Done: 8, Unreached: 2, All: 10}
	if diff := cmp.Diff(plans, got.Plans); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	if got.Verdict != v1alpha1.Diverges || got.Cut != "" || len(got.Parts) != 2 || got.Shard != nil || got.Operations[0].Plans != 10 {
		t.Errorf("%+v", got)
	}
}

// The report says what was not explored. It never counts as converged.
func TestExploredInPart(t *testing.T) {
	cut := exploredShard(2)
	cut.Report.Cut, cut.Report.Plans.All = "the budget was spent", 11
	// Both shards planned as many plans, but not the same ones.
	uneven := exploredShard(2)
	uneven.Report.Plans.Planned = 6
	for name, tc := range map[string]struct {
		parts []ExploredPart
		want  v1alpha1.ExploreVerdict
		cut   string
		left  int
	}{
		"all":                 {[]ExploredPart{exploredShard(1), exploredShard(2)}, v1alpha1.Converges, "", 0},
		"a shard is missing":  {[]ExploredPart{exploredShard(1)}, v1alpha1.ExploredInconclusive, "there is no report of shard 2/2", 0},
		"missing, and a find": {[]ExploredPart{exploredShard(2, "EX-00000001")}, v1alpha1.Diverges, "there is no report of shard 1/2", 0},
		"an empty folder":     {[]ExploredPart{exploredShard(1), {Dir: "x"}}, v1alpha1.ExploredInconclusive, "the exploration in x ended without a report", 0},
		"one is cut":          {[]ExploredPart{exploredShard(1), cut}, v1alpha1.Converges, "in b, the budget was spent", 1},
		"other plans":         {[]ExploredPart{exploredShard(1), uneven}, v1alpha1.Converges, "", 1},
	} {
		got, err := Explored(tc.parts)
		if err != nil {
			t.Fatal(err)
		}
		without := &v1alpha1.ExploreReport{Verdict: got.Verdict, Reason: got.Reason, Causes: got.Causes}
		for _, c := range got.Causes {
			without.Known = append(without.Known, v1alpha1.KnownResult{KnownFailure: v1alpha1.KnownFailure{ID: c.ID}, State: v1alpha1.KnownFails})
		}
		inconclusive := tc.cut != "" && !strings.Contains(tc.cut, "budget")
		if known := baseline.Explored(without); (known == v1alpha1.ExploredInconclusive) != inconclusive {
			t.Errorf("%s: if all causes are known, it is %s", name, known)
		}
		if got.Verdict != tc.want || !strings.Contains(got.Cut, tc.cut) || (tc.cut == "") != (got.Cut == "") || len(got.Left) != tc.left {
			t.Errorf("%s: %s, cut: %q, left: %q", name, got.Verdict, got.Cut, got.Left)
		}
	}
}

func TestExploredDoNotFit(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ExploreReport)
		want   string
	}{
		"another profile":  {func(r *v1alpha1.ExploreReport) { r.ProfileDigest = "sha256:1" }, "are not from the same exploration: profile"},
		"another version":  {func(r *v1alpha1.ExploreReport) { r.Version = "v2" }, "Reconform"},
		"other operations": {func(r *v1alpha1.ExploreReport) { r.Sorts = []string{"create"} }, "--operations"},
		"other shards":     {func(r *v1alpha1.ExploreReport) { r.Shard.Count = 3 }, "number of shards 2, and 3"},
		"the same shard":   {func(r *v1alpha1.ExploreReport) { r.Shard.Index = 1 }, "a and b have the report of the same shard, 1/2"},
	} {
		other := exploredShard(2)
		tc.change(other.Report)
		if _, err := Explored([]ExploredPart{exploredShard(1), other}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// Shards of one exploration may name their operations and disturbances in another order, or twice.
func TestExploredInAnotherOrder(t *testing.T) {
	one, other := exploredShard(1), exploredShard(2)
	one.Report.Sorts, other.Report.Sorts = []string{"edit", "create"}, []string{"create", "edit", "create"}
	one.Report.Disturbances, other.Report.Disturbances = []string{"500", "conflict"}, []string{"conflict", "500"}
	if _, err := Explored([]ExploredPart{one, other}); err != nil {
		t.Error(err)
	}
}

// A folder that is named twice, or is not there, is a slip of the user, as it is for the
// reports of runs.
func TestReadExploredFolders(t *testing.T) {
	dir := t.TempDir()
	shard := filepath.Join(dir, "1")
	if err := os.Mkdir(shard, 0o755); err != nil {
		t.Fatal(err)
	}
	r := exploredShard(1, "EX-00000001").Report
	r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindExploreReport
	if err := report.WriteExplored(shard, r); err != nil {
		t.Fatal(err)
	}
	if parts, err := ReadExplored([]string{shard}); err != nil || len(parts) != 1 {
		t.Fatalf("%d parts: %v", len(parts), err)
	}
	for name, tc := range map[string]struct{ other, want string }{
		"named twice":       {shard, "are the same folder"},
		"named in two ways": {filepath.Join(dir, ".", "1") + "/", "are the same folder"},
		"there is none":     {filepath.Join(dir, "2"), "there is no folder " + filepath.Join(dir, "2")},
		"a file, no folder": {filepath.Join(shard, report.ExploredFile), "is a file"},
	} {
		if _, err := ReadExplored([]string{shard, tc.other}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
