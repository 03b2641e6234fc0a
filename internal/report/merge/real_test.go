package merge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// TestRealReports: testdata has reports of the reference controller without the right
// to patch Services, from one run (whole) and from three shards. Failures and what they
// block are in different shards. The merged report is the same as that of one run.
func TestRealReports(t *testing.T) {
	whole, err := report.Read("testdata/whole")
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	// The suite of then.
	all := slices.DeleteFunc(known, func(r catalogue.Requirement) bool {
		return !slices.ContainsFunc(whole.Results, func(result v1alpha1.Result) bool { return result.ID == r.ID })
	})
	verdict.Conclude(all, whole)
	parts, err := Read([]string{"testdata/shard-3", "testdata/shard-1", "testdata/shard-2"})
	if err != nil {
		t.Fatal(err)
	}
	merged, err := Merge(parts, all, whole.Versions.Reconform)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID, BlockedBy string
		Verdict       v1alpha1.ResultVerdict
	}
	rows := func(r *v1alpha1.ConformanceReport) (found []row) {
		for _, result := range r.Results {
			found = append(found, row{result.ID, result.BlockedBy, result.Verdict})
		}
		return found
	}
	for what, pair := range map[string][2]any{
		"rows":       {rows(whole), rows(merged)},
		"verdict":    {whole.Verdict, merged.Verdict},
		"summary":    {whole.Summary, merged.Summary},
		"core":       {whole.Core, merged.Core},
		"classes":    {whole.Classes, merged.Classes},
		"invariants": {whole.Invariants, merged.Invariants},
		"cut short":  {whole.CutShort, merged.CutShort},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-at once +merged):\n%s", what, diff)
		}
	}
}

// TestHistory: each line says from which part it is.
func TestHistory(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	for n, text := range []string{"{\"seq\":1}\n", "{\"seq\":1}\n{\"seq\":2}\n"} {
		if err := os.WriteFile(filepath.Join(dirs[n], report.HistoryFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts := []Part{{dirs[0], ran("1/2")}, {dirs[1], ran("2/2")}, {dirs[2], ran("2/2")}}
	path := filepath.Join(t.TempDir(), report.HistoryFile)
	if err := History(path, parts); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\"part\":1,\"seq\":1}\n{\"part\":2,\"seq\":1}\n{\"part\":2,\"seq\":2}\n"; string(got) != want {
		t.Errorf("history (-want +got):\n%s", cmp.Diff(want, string(got)))
	}
	full := filepath.Join(t.TempDir(), report.HistoryFile)
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	if err := History(full, parts); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("a full disk: got %v", err)
	}
}
