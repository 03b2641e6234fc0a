package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSetAside: a report is moved as a whole, or not at all.
func TestSetAside(t *testing.T) {
	const marker = ".reconform"
	for name, tc := range map[string]struct {
		before []string
		clear  bool // clear the folder instead
		want   []string
		err    string
	}{
		"a report": {
			before: []string{marker, YAMLFile, PageFile, "logs/a/subject-0.log", "mine.txt"},
			want:   []string{marker, "earlier/" + marker, "earlier/" + YAMLFile, "earlier/logs/a/subject-0.log", "earlier/" + PageFile, "mine.txt"},
		},
		"in the place of an older one": {
			before: []string{YAMLFile, "earlier/" + marker, "earlier/" + YAMLFile, "earlier/" + HistoryFile},
			want:   []string{"earlier/" + marker, "earlier/" + YAMLFile},
		},
		"somebody else's folder": {
			before: []string{YAMLFile, PageFile, "earlier/diary.txt"},
			want:   []string{YAMLFile, "earlier/diary.txt", PageFile},
			err:    "diary.txt",
		},
		"killed before the report was moved": {
			before: []string{YAMLFile, stageDir + "/" + marker, stageDir + "/" + PageFile},
			want:   []string{"earlier/" + marker, "earlier/" + YAMLFile, "earlier/" + PageFile},
		},
		"killed after that": {
			before: []string{stageDir + "/" + marker, stageDir + "/" + YAMLFile, "earlier/" + marker, "earlier/" + PageFile},
			clear:  true,
			want:   []string{"earlier/" + marker, "earlier/" + YAMLFile},
		},
		"killed before that, and a run begins": {
			before: []string{YAMLFile, stageDir + "/" + marker, stageDir + "/" + PageFile, "earlier/" + marker, "earlier/" + YAMLFile},
			clear:  true,
			want:   []string{"earlier/" + marker, "earlier/" + YAMLFile},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range tc.before {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			do := SetAside
			if tc.clear {
				do = Clear
			}
			if err := do(dir); (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got error %v, want %q", err, tc.err)
			}
			var got []string
			err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					path, err = filepath.Rel(dir, path)
					got = append(got, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if tc.err != "" { // the marker of what could not be moved may stay
				got = slices.DeleteFunc(got, func(name string) bool { return strings.HasPrefix(name, stageDir) })
			}
			slices.Sort(got)
			slices.Sort(tc.want)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
