package validity

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kyverno/chainsaw/pkg/discovery"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/render"
	"reconform.dev/reconform/scenarios"
)

// TestChainsawLoadsWhatIsRendered writes the scenarios for each built-in
// profile, as they are and as a run would have them, and discovers them with
// Chainsaw's strict schema.
func TestChainsawLoadsWhatIsRendered(t *testing.T) {
	files, err := fs.Glob(scenarios.FS, "*/*/"+render.FileName)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, name := range []string{"reference", "sample-controller"} {
		p, err := profile.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		var plain, run []*render.Rendered
		for _, file := range files {
			s, err := render.LoadFS(scenarios.FS, file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := render.Render(s, p)
			if skip := (*render.Skip)(nil); errors.As(err, &skip) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			forRun, err := r.ForRun(render.RunOptions{Namespace: "ns", TimeoutScale: 2})
			if err != nil {
				t.Fatal(err)
			}
			plain, run = append(plain, r), append(run, forRun)
		}
		for kind, tests := range map[string][]*render.Rendered{"plain": plain, "for a run": run} {
			t.Run(name+" "+kind, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out")
				if err := render.WriteDir(out, tests, nil); err != nil {
					t.Fatal(err)
				}
				loaded, err := discovery.DiscoverTests("chainsaw-test", nil, false, out)
				if err != nil {
					t.Fatal(err)
				}
				var want, got []string
				for _, test := range loaded {
					if test.Err != nil {
						t.Errorf("%s: %v", test.BasePath, test.Err)
						continue
					}
					got = append(got, filepath.Base(test.BasePath))
				}
				for _, test := range tests {
					want = append(want, filepath.Base(test.Folder()))
				}
				slices.Sort(want)
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
