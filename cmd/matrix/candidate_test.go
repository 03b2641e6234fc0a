package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

const root = "../.."

func TestImplementationOfAMutant(t *testing.T) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	c := candidateNamed("m")
	c.requirement.ID = "SH-001"
	if c.profile, err = profile.Load(filepath.Join(root, "fixtures/profiles/reference.yaml")); err != nil {
		t.Fatal(err)
	}
	i, err := c.implementation(requirements)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, planned := range i.Plan.Scenarios {
		id := planned.Requirement.ID
		if planned.Requirement.Takes >= patience {
			id += " first"
		}
		got = append(got, id)
	}
	if diff := cmp.Diff([]string{"RC-001", "RC-005", "SH-001 first", "SH-004"}, got); diff != "" {
		t.Errorf("scenarios (-want +got):\n%s", diff)
	}
	if i.Name != "m" || i.ProfileArgument != c.file {
		t.Errorf("%s by %s", i.Name, i.ProfileArgument)
	}
}

// TestCompanionsExist: nothing else would notice that a requirement in the table was
// renamed.
func TestCompanionsExist(t *testing.T) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]catalogue.Requirement{}
	for _, r := range requirements {
		known[r.ID] = r
	}
	for _, id := range companions() {
		if r, ok := known[id]; !ok || r.Level != catalogue.Core || r.Slow || r.Takes > 0 {
			t.Errorf("%s is not a quick row of the core: %+v", id, r)
		}
	}
}

func TestWhatIsNotBuilt(t *testing.T) {
	mutants := []mutant.Mutant{{Name: "a", Base: "reference", CaughtBy: "SH-004"}, {Name: "b", Base: "reference", CaughtBy: "XX-001"}}
	_, err := readCandidates(t.TempDir(), mutants, []catalogue.Requirement{{ID: "SH-004"}})
	want := "mutant a is not built: there is no bin/_mutants/a/fixtures/profiles/reference.yaml (make mutants-build)\n" +
		"mutant b: there is no requirement XX-001 that could catch it"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// built is a mutant with a profile and manifests of its own.
func built(t *testing.T, name string, edit func(crd string) string) candidate {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "fixtures/profiles/reference.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crds, err := filepath.Glob(filepath.Join(root, "controller/config/crd/bases/*.yaml"))
	if err != nil || len(crds) != 1 {
		t.Fatal(crds, err)
	}
	crd, err := os.ReadFile(crds[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(edit(string(crd))), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "../../controller/config/crd/bases", "crd.yaml", 1)
	c := candidateNamed(name)
	if c.profile, err = profile.Parse(filepath.Join(dir, "reference.yaml"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	return c
}

// same and wider are the CRD as it is, and another.
func same(crd string) string { return crd }

func wider(crd string) string { return strings.Replace(crd, "maximum: 50", "maximum: 60", 1) }

func TestSessions(t *testing.T) {
	rightsTooWide := built(t, "rights-too-wide", same)
	rightsTooWide.requirement.WholeRun = true
	serial := built(t, "serial", same)
	serial.profile.Spec.Launch.Serial = true
	all, err := sessions([]candidate{
		built(t, "a", same), built(t, "bounds-a", wider), rightsTooWide, built(t, "b", same), serial, built(t, "bounds-b", wider),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, s := range all {
		got = append(got, append([]string{s.name}, s.names()...))
	}
	want := [][]string{
		{"session-1", "a", "b"},
		{"session-2", "bounds-a", "bounds-b"},
		{"session-3", "rights-too-wide"},
		{"session-4", "serial"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}
