package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
)

// TestBill: the bill of this test binary lists the modules that Go reports, and stays
// the same when it is written and read again.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(self, other); err != nil {
		t.Fatal(err)
	}
	made, err := bill("suite", "v1", []string{self, other})
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&written, cyclonedx.BOMFileFormatJSON).Encode(made); err != nil {
		t.Fatal(err)
	}
	var read cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(&written, cyclonedx.BOMFileFormatJSON).Decode(&read); err != nil {
		t.Fatal(err)
	}

	info, _ := debug.ReadBuildInfo()
	want := map[string]string{"std": strings.TrimPrefix(runtime.Version(), "go")}
	for _, m := range info.Deps {
		want[m.Path] = m.Version
	}
	got := map[string]string{}
	programs := 0
	for _, c := range *read.Components {
		if c.Type == cyclonedx.ComponentTypeApplication {
			programs++
			continue
		}
		if _, twice := got[c.Name]; twice {
			t.Errorf("%s is listed twice", c.Name)
		}
		got[c.Name] = c.Version
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modules (-Go +bill):\n%s", diff)
	}
	if programs != 2 || len(*read.Dependencies) != 3 {
		t.Errorf("%d programs, %d dependencies", programs, len(*read.Dependencies))
	}
}

func TestLibrary(t *testing.T) {
	for path, want := range map[string]string{
		"std":                         "pkg:golang/std@v2.0.0%2Bincompatible",
		"github.com/go-logr/logr":     "pkg:golang/github.com/go-logr/logr@v2.0.0%2Bincompatible",
		"sigs.k8s.io/yaml":            "pkg:golang/sigs.k8s.io/yaml@v2.0.0%2Bincompatible",
		"github.com/CycloneDX/x/v2/y": "pkg:golang/github.com/CycloneDX/x/v2/y@v2.0.0%2Bincompatible",
	} {
		if got := library(path, "v2.0.0+incompatible").PackageURL; got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestNoProgram(t *testing.T) {
	if _, err := bill("suite", "v1", []string{"doc.go"}); err == nil {
		t.Error("no error")
	}
}
