package grade_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab/grade"
)

func sheet() grade.Sheet {
	return grade.Sheet{
		{
			Submission: "ann", Lab: "03-create-the-deployment", Outcome: grade.Judged, Reached: 1, Of: 2, Seconds: 12.34,
			Checks: []grade.Check{{ID: "RC-001", Reached: true}, {ID: "SS-002"}}, Report: "what a check tells her",
		},
		{Submission: "=b|c", Outcome: grade.NotBuilt, Why: "main.go:3: syntax error\nmain.go:4: and more", Seconds: 2},
	}
}

func TestSheet(t *testing.T) {
	for format, want := range map[string]string{
		"markdown": "| submission | lab | outcome | reached | missing | seconds | note |\n|---|---|---|---|---|---|---|\n" +
			"| ann | 03-create-the-deployment | judged | 1 of 2 | SS-002 | 12.3 |  |\n" +
			"| =b\\|c |  | not built | 0 of 0 |  | 2.0 | main.go:3: syntax error |\n",
		"csv": "submission,lab,outcome,reached,of,missing,seconds,note\n" +
			"ann,03-create-the-deployment,judged,1,2,SS-002,12.3,\n" +
			"'=b|c,,not built,0,0,,2.0,main.go:3: syntax error\n",
	} {
		var out bytes.Buffer
		if err := sheet().Write(&out, format); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
	var out bytes.Buffer
	var read grade.Sheet
	if err := sheet().Write(&out, "json"); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sheet(), read); diff != "" {
		t.Errorf("json (-want +got):\n%s", diff)
	}
}

// TestReports: each student gets a report, with nothing about others.
func TestReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	if err := grade.WriteReports(dir, sheet()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{"ann.txt": {"what a check tells her", "syntax"}, "=b|c.txt": {"main.go:4", "ann"}} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want[0]) || strings.Contains(string(text), want[1]) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestReportsWithSimilarNames: no report takes the place of another one, on no file system.
func TestReportsWithSimilarNames(t *testing.T) {
	dir := t.TempDir()
	want := map[string]bool{}
	var results []grade.Result
	for _, name := range []string{"ann lee", "ann-lee", "Ann-Lee", "ann-lee-2", "class/bob", "class-bob", "ada.", "ada", ".", ".."} {
		results = append(results, grade.Result{Submission: name, Outcome: grade.Judged, Report: "for " + name + "!"})
		want["for "+name+"!"] = true
	}
	if err := grade.WriteReports(dir, results); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found, names := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		found[lines[len(lines)-1]], names[strings.ToLower(file.Name())] = true, true
		if strings.HasPrefix(file.Name(), ".") {
			t.Errorf("%s is hidden", file.Name())
		}
	}
	if diff := cmp.Diff(want, found); diff != "" || len(names) != len(results) {
		t.Errorf("%d names; reports (-want +got):\n%s", len(names), diff)
	}
}

// TestFoldersToHide: a folder that cannot be given to the process that grades is refused, as it
// would not be hidden.
func TestFoldersToHide(t *testing.T) {
	hidden, err := grade.FoldersToHide([]string{"/class/ann", "/class/bob", "/other/eve", "/top"})
	if diff := cmp.Diff([]string{"/class", "/other", "/top"}, hidden); diff != "" || err != nil {
		t.Errorf("%v, hidden (-want +got):\n%s", err, diff)
	}
	for _, dir := range []string{"/year:2026/ann", "/a/year:2026/ann", "/top:1"} {
		if hidden, err := grade.FoldersToHide([]string{dir}); err == nil || !strings.Contains(err.Error(), "has a colon") {
			t.Errorf("%s: hidden %q, error %v", dir, hidden, err)
		}
	}
	if _, err := grade.FoldersToHide([]string{"/class/ann:lee"}); err != nil {
		t.Errorf("only the folder above is hidden: %v", err)
	}
}

func TestNames(t *testing.T) {
	got := grade.Names([]string{"class/ann/", "class/bob", "other/bob", ".", "class/e\x1b[1m"})
	want := []string{"ann", "class/bob", "other/bob", ".", "e"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
