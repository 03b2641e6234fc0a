package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/report"
)

// If a file of the report cannot be written, the result is printed all the same, and nobody
// is sent to a report that is not there.
func TestExploreNamesOnlyAReportThatIsThere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, inTheWay string
	}{
		{"all is written", ""},
		{"no page", report.ExploredPageFile},
		{"no report for programs", report.ExploredFile},
		{"no summary", report.SummaryFile},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.inTheWay != "" { // a folder with something in it cannot be replaced by a file
				if err := os.MkdirAll(filepath.Join(dir, tc.inTheWay, "in the way"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var stdout bytes.Buffer
			cmd := newExploreCommand()
			cmd.SetOut(&stdout)
			cmd.SetContext(t.Context())
			result := &v1alpha1.ExploreReport{
				Implementation: v1alpha1.Implementation{Name: "mine"}, Verdict: v1alpha1.Converges,
				Plans: v1alpha1.ExplorePlans{Planned: 1, All: 1, Done: 1},
			}
			flags := exploreFlags{reportDir: dir, output: outputFlags{format: formatText}}
			err := flags.tell(cmd, &explore.Exploration{}, result, dir)
			if (err == nil) != (tc.inTheWay == "") || err != nil && !strings.Contains(err.Error(), "writing "+tc.inTheWay) {
				t.Errorf("the error is %v", err)
			}
			if !strings.Contains(stdout.String(), "mine: Converges") {
				t.Errorf("the result is not printed:\n%s", stdout.String())
			}
			if named := strings.Contains(stdout.String(), "report: "); named != (err == nil) {
				t.Errorf("the report is named: %t, with the error %v", named, err)
			}
		})
	}
}

// If the profile allows only one at a time, --parallel is not silently ignored.
func TestExploreOneAtATime(t *testing.T) {
	t.Parallel()
	profile, err := os.ReadFile("testdata/idle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir() // a folder that is no report ends the command before it starts anything
	if err := os.WriteFile(filepath.Join(taken, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	serial := filepath.Join(t.TempDir(), "serial.yaml")
	text := strings.ReplaceAll(string(profile), "../../..", root) + "    serial: true\n"
	if err := os.WriteFile(serial, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		profile, parallel string
		told              bool
	}{
		{serial, "4", true},
		{serial, "1", false},
		{"testdata/idle.yaml", "4", false},
	} {
		var stderr bytes.Buffer
		cmd := newExploreCommand()
		cmd.SetErr(&stderr)
		cmd.SilenceUsage = true
		cmd.SetContext(t.Context())
		cmd.SetArgs([]string{"--profile", tc.profile, "--parallel", tc.parallel, "--report-dir", taken})
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "--report-dir") {
			t.Errorf("with %+v the error is %v", tc, err)
		}
		const note = "note: --parallel 4 has no effect: the profile allows only one plan at a time"
		if told := strings.Contains(stderr.String(), note); told != tc.told {
			t.Errorf("with %+v it says:\n%s", tc, stderr.String())
		}
	}
}

// What an earlier exploration did is not silently thrown away.
func TestExploreBeginsAnew(t *testing.T) {
	t.Parallel()
	p, err := loadToStart("testdata/idle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for n, tc := range []struct{ resume, told bool }{{false, false}, {false, true}, {true, false}} {
		var stderr bytes.Buffer
		cmd := newExploreCommand()
		cmd.SetErr(&stderr)
		flags := exploreFlags{reportDir: dir, resume: tc.resume}
		kept, err := flags.keep(cmd, p, dir, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := kept.Close(); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(stderr.String(), "--resume goes on with one"); told != tc.told {
			t.Errorf("number %d says %q", n+1, stderr.String())
		}
	}
}
