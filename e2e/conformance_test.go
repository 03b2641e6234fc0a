package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestConformance judges the reference controller as a process and as a Pod, by what
// only nodes show. It uses the core requirements, or those of the selector E2E_SELECT.
// An empty selector selects all.
func TestConformance(t *testing.T) {
	selector, given := os.LookupEnv("E2E_SELECT")
	if !given {
		selector = "level=core"
	}
	var selection []string
	if selector != "" {
		selection = []string{"-l", selector}
	}
	for name, args := range map[string][]string{
		"process": selection,
		"cluster": append([]string{"--in-cluster"}, selection...),
		"nodes":   {"--in-cluster", "-l", "area=nodes"},
	} {
		feature := features.New("the reference controller, "+name).
			WithLabel("mode", name).
			Assess("passes", func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
				before := everything(t, config)
				sameVerdicts(t, name, judge(t, config, filepath.Join("../reports/e2e", name), args...))
				await(t, config, before)
				return ctx
			})
		testenv.Test(t, feature.Feature())
	}
}

// judge runs the suite, which must find no failure, and returns its report.
func judge(t *testing.T, config *envconf.Config, reports string, args ...string) *v1alpha1.ConformanceReport {
	t.Helper()
	began := time.Now()
	command := exec.CommandContext(t.Context(), "../bin/reconform",
		append([]string{"run", "--kubeconfig", config.KubeconfigFile(), "--report-dir", reports, "--timeout-scale", "2"}, args...)...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		t.Errorf("reconform %v: %v", args, err)
	}
	t.Logf("%v took %s", args, time.Since(began).Round(time.Second))
	report := readReport(t, filepath.Join(reports, "conformance-report.yaml"))
	if report.Summary.Passed == 0 || report.Summary.Failed+report.Summary.Inconclusive+report.Summary.Flaky > 0 {
		t.Errorf("want passes only: %+v", report.Summary)
	}
	return report
}

// readReport reads a report from a file. Package report of the suite could do so, but
// would link all of Chainsaw.
func readReport(t *testing.T, path string) *v1alpha1.ConformanceReport {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	report := &v1alpha1.ConformanceReport{}
	if err := yaml.Unmarshal(data, report); err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
	return report
}
