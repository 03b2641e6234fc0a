package render

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/profile"
)

var update = flag.Bool("update", false, "write the golden files again")

const scenariosDir = "../../scenarios"

// scenarioFiles are the project's own scenarios.
func scenarioFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scenariosDir, "*", "*", FileName))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", scenariosDir, err)
	}
	return files
}

func builtin(t *testing.T, name string) *profile.Profile {
	t.Helper()
	p, err := profile.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decoded is what a YAML document means, whatever it looks like.
func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestReferenceChangesNothing holds every scenario, rendered for the reference,
// against itself with its templates inlined.
func TestReferenceChangesNothing(t *testing.T) {
	p := builtin(t, "reference")
	for _, file := range scenarioFiles(t) {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Error(err)
			continue
		}
		r, err := Render(s, p)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := r.YAML()
		if err != nil {
			t.Fatal(err)
		}
		want, err := yaml.Marshal(s.root)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutBindings(t, want), withoutBindings(t, got)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// withoutBindings leaves out the test's bindings, which get the profile's
// values.
func withoutBindings(t *testing.T, data []byte) any {
	t.Helper()
	v := decoded(t, data)
	delete(v.(map[string]any)["spec"].(map[string]any), "bindings")
	return v
}

// TestSampleController holds every scenario, rendered for sample-controller,
// against a file that a person has read.
func TestSampleController(t *testing.T) {
	p := builtin(t, "sample-controller")
	for _, file := range scenarioFiles(t) {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []byte
		r, err := Render(s, p)
		var skip *Skip
		switch {
		case errors.As(err, &skip):
			got = []byte("# " + skip.Error() + "\n")
		case err != nil:
			t.Error(err)
			continue
		default:
			if got, err = r.YAML(); err != nil {
				t.Fatal(err)
			}
		}
		golden := filepath.Join("testdata", "sample-controller", s.Name+".yaml")
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Errorf("%v: read what `go test ./conformance/render -run SampleController -update` writes", err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}
