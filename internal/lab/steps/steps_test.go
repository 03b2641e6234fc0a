package steps

import (
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const labsDir = "../../../labs"

// TestGenerated: what is committed is what the generator makes.
func TestGenerated(t *testing.T) {
	want, err := Tree(os.DirFS(labsDir))
	if err != nil {
		t.Fatal(err)
	}
	beyond, err := Beyond(os.DirFS(labsDir))
	if err != nil {
		t.Fatal(err)
	}
	module, err := Module(t.Context(), labsDir)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(want, beyond)
	maps.Copy(want, module)
	got := map[string]string{}
	err = fs.WalkDir(os.DirFS(labsDir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(name, "/start/") && !strings.Contains(name, "/solution/") && want[name] == "" {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(labsDir), name)
		got[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not what the generator makes (make generate):\n%s", diff)
	}
}

// TestGaps: every start has a gap that is marked, and no solution has one.
func TestGaps(t *testing.T) {
	source := os.DirFS(labsDir + "/controller")
	for step := 1; step <= 12; step++ {
		for _, at := range []Point{Start(step), Solution(step)} {
			files, err := Files(source, at)
			if err != nil {
				t.Fatal(err)
			}
			gaps := 0
			for _, text := range files {
				gaps += strings.Count(text, "TODO(lab)")
			}
			if (gaps > 0) != (at == Start(step)) {
				t.Errorf("%s has %d gaps", at, gaps)
			}
			for name, text := range files {
				if strings.Contains(text, "lab:") {
					t.Errorf("%s: %s has a mark left", at, name)
				}
			}
		}
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
