package steps

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const labsDir = "../../../labs"

// TestModule: what is committed of the student's module is what the generator makes.
func TestModule(t *testing.T) {
	want, err := Module(t.Context(), labsDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got, err := os.ReadFile(path.Join(labsDir, name))
		if diff := cmp.Diff(text, string(got)); err != nil || diff != "" {
			t.Errorf("%s is not what the generator makes (make generate): %v\n%s", name, err, diff)
		}
	}
}

// TestGaps: each start has a marked gap, and no solution has one. No mark of the source
// is left in either.
func TestGaps(t *testing.T) {
	labs := os.DirFS(labsDir)
	var folders []string
	for _, pattern := range []string{"[0-9][0-9]-*", "beyond/*/lab.yaml"} {
		found, err := fs.Glob(labs, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			folders = append(folders, strings.TrimSuffix(name, "/lab.yaml"))
		}
	}
	made := map[string]int{}
	for _, folder := range folders {
		for _, language := range Languages() {
			for _, point := range []string{"start", "solution"} {
				folder := path.Join(folder, language.Folder(point))
				files, err := Files(labs, folder)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				made[language.Name+" "+point]++
				gaps := 0
				for name, text := range files {
					gaps += strings.Count(text, "TODO(lab)")
					if strings.Contains(text, "lab:") {
						t.Errorf("%s: %s has a mark left", folder, name)
					}
				}
				if (gaps > 0) != (point == "start") {
					t.Errorf("%s has %d gaps", folder, gaps)
				}
			}
		}
	}
	want := map[string]int{"go start": 12 + 9, "go solution": 12 + 9, "node start": 3, "node solution": 3}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("starts and solutions (-want +got):\n%s", diff)
	}
}

// TestExercise: the exercise begins without a controller, and with all rights that a
// controller needs.
func TestExercise(t *testing.T) {
	files, err := Files(os.DirFS(labsDir), "hands-on/start")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"main.go", "profile.yaml", "rbac.yaml", "watch.go"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if !strings.Contains(files["rbac.yaml"], "deployments") {
		t.Errorf("it may not write Deployments:\n%s", files["rbac.yaml"])
	}
	if !strings.Contains(files["watch.go"], "AddFunc") || strings.Contains(files["watch.go"], "TODO") {
		t.Errorf("it does not show how to watch:\n%s", files["watch.go"])
	}
}

// TestNoFiles: a folder that does not exist is fs.ErrNotExist.
func TestNoFiles(t *testing.T) {
	for _, folder := range []string{
		"", "start", "01-watch-and-print", "01-watch-and-print/end", "99-unknown/start", "04-owner-references/node/start",
		"beyond/finalizer/node/start", "beyond/unknown/start", "debug/01/start", "hands-on/solution", "hands-on/node/start",
	} {
		if files, err := Files(os.DirFS(labsDir), folder); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q has %d files: %v", folder, len(files), err)
		}
	}
}

// TestBrokenPatch: if a patch does not fit, the error names the patch.
func TestBrokenPatch(t *testing.T) {
	labs := fstest.MapFS{
		"controller/queue.go":    {Data: []byte("package main\n")},
		"controller/rbac.yaml":   {Data: []byte("rules: []\n")},
		"beyond/lost/step.patch": {Data: []byte("diff --git a/queue.go b/queue.go\n--- a/queue.go\n+++ b/queue.go\n@@ -1,1 +1,1 @@\n-package other\n+package main\n")},
	}
	_, err := Files(labs, "beyond/lost/start")
	if err == nil || !strings.Contains(err.Error(), "beyond/lost/step.patch") || !strings.Contains(err.Error(), "not there any more") {
		t.Errorf("error %v", err)
	}
}

func TestRender(t *testing.T) {
	const text = `a
//lab:from 02
//lab:todo TODO(lab): b
//lab:stub stub
b
//lab:given 03
c
//lab:end
//lab:end
//lab:given 02 until given 03
//lab:old d
//lab:end
//lab:before 03 e`
	for name, tc := range map[string]struct {
		at   Point
		want string
	}{
		"before":          {Solution(1), "a\ne\n"},
		"the gap":         {Start(2), "a\n// TODO(lab): b\nstub\nd\ne\n"},
		"the solution":    {Solution(2), "a\nb\nd\ne\n"},
		"what is given":   {Start(3), "a\nb\nc\ne\n"},
		"what is no more": {Solution(3), "a\nb\nc\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Render(text, tc.at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, wrong := range []string{"//lab:end", "//lab:from", "//lab:from x", "//lab:from 03 to 04", "//lab:from 03 until 02", "//lab:frob", "//lab:todo x"} {
		if got, err := Render(wrong, Start(1)); err == nil {
			t.Errorf("%q is rendered as %q", wrong, got)
		}
	}
}
