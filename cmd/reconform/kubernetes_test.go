package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestAssets lists, finds and removes binaries that look as if they had been built.
func TestAssets(t *testing.T) {
	module, caches := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"XDG_CACHE_HOME": caches, "HOME": caches, "RECONFORM_ASSETS": "", "KUBEBUILDER_ASSETS": ""} {
		t.Setenv(name, value)
	}
	t.Chdir(module)
	if err := os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("bin", "k8s", "v1.35.4")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"assets", "list"}, 0, "v1.34.4  -      -     not here\nv1.35.4  built  0 MB  "},
		{[]string{"assets", "path", "1.35"}, 0, filepath.Join(module, dir)},
		{[]string{"assets", "get", "1.35"}, 0, filepath.Join(module, dir)},
		{[]string{"assets", "get", "1.37"}, statusUsage, "where from? Give the archive of a release with --from"},
		{[]string{"assets", "get", "1.37", "--from", "absent.tar.gz", "--sha256", strings.Repeat("0", 64)}, statusUsage, "absent.tar.gz: no such file"},
		{[]string{"assets", "get", "1.37", "--from", "absent.tar.gz"}, statusUsage, "the archive that --from names"},
		{[]string{"assets", "get", "1.37", "--from", "go.mod", "--sha256", "12"}, statusInconclusive, `"12", of --sha256, is not a SHA-256`},
		{[]string{"run", "--kubernetes", "1.35,1.36,1.37"}, statusUsage, "no binaries of Kubernetes v1.37.2 on this machine"},
		{[]string{"assets", "remove", "1.35"}, 0, "removed " + filepath.Join(module, dir)},
		{[]string{"assets", "path", "1.35"}, statusUsage, "no binaries of Kubernetes v1.35.4 on this machine: reconform assets get v1.35.4"},
		{[]string{"assets", "remove", "1.35"}, statusUsage, "no binaries of Kubernetes v1.35.4 on this machine, so there is nothing to remove"},
	} {
		status, stdout, stderr := run(t, step.args...)
		if status != step.status || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%s: status %d, want %d, and %q:\n%s%s", strings.Join(step.args, " "), status, step.status, step.want, stdout, stderr)
		}
	}
}

// TestAssetsSum: --sha256 also pins the archive that RECONFORM_ASSETS names.
func TestAssetsSum(t *testing.T) {
	caches := t.TempDir()
	for name, value := range map[string]string{
		"XDG_CACHE_HOME": caches, "HOME": caches, "KUBEBUILDER_ASSETS": "",
		"RECONFORM_ASSETS": "go.mod", "RECONFORM_ASSETS_SHA256": strings.Repeat("0", 64),
	} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "by RECONFORM_ASSETS_SHA256 it should be 0000"},
		{[]string{"--sha256", strings.Repeat("1", 64)}, "by --sha256 it should be 1111"},
	} {
		status, _, stderr := run(t, append([]string{"assets", "get", "1.35"}, tc.args...)...)
		if status != statusInconclusive || !strings.Contains(stderr, tc.want) {
			t.Errorf("%v: status %d, want %d, and %q:\n%s", tc.args, status, statusInconclusive, tc.want, stderr)
		}
	}
}

// TestKubernetesFlag: what is no version, or none that the command takes, is refused.
func TestKubernetesFlag(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--kubernetes", "1.33"}, "there is: v1.34.4, v1.35.4, v1.36.3, v1.37.2"},
		{[]string{"run", "--kubernetes", "1.37,v1.37.2"}, "v1.37.2 is given twice"},
		{[]string{"run", "--kubernetes", "1.34,"}, `"1.34,": a version is missing before or after a comma`},
		{[]string{"run", "--kubernetes", ","}, "a version is missing before or after a comma"},
		{[]string{"run", "--kubernetes", ""}, "--kubernetes is empty; give a value, or leave the flag out"},
		{[]string{"run", "--kubernetes", "1.34", "--kubernetes", "1.34.4"}, "v1.34.4 is given twice"},
		{[]string{"explore", "--kubernetes", "1.33"}, "there is: v1.34.4, v1.35.4, v1.36.3, v1.37.2"},
		{[]string{"explore", "--kubernetes", "1.34,1.37"}, "give one version; only run takes several"},
		{[]string{"validate", "--kubernetes", ""}, "--kubernetes is empty; give a value, or leave the flag out"},
		{[]string{"up", "--kubernetes", "1.34", "--kubernetes", "1.37"}, "--kubernetes is given twice, as v1.34.4 and as 1.37: give it once"},
		{[]string{"up", "--kubernetes", "1.34,1.37"}, "give one version; only run takes several"},
	} {
		status, _, stderr := run(t, tc.args...)
		if status != statusUsage || !strings.Contains(stderr, tc.want) {
			t.Errorf("%v: status %d, want %d, and %q:\n%s", tc.args, status, statusUsage, tc.want, stderr)
		}
	}
}

// TestPrintByVersion: what an interrupted run did not reach is counted, and not listed.
func TestPrintByVersion(t *testing.T) {
	of := func(version string, verdict v1alpha1.Verdict, rows ...v1alpha1.ResultVerdict) *v1alpha1.ConformanceReport {
		r := &v1alpha1.ConformanceReport{Verdict: verdict, Versions: v1alpha1.Versions{Kubernetes: version}}
		for n, row := range rows {
			r.Results = append(r.Results, v1alpha1.Result{ID: fmt.Sprintf("SH-00%d", n+1), Verdict: row})
			if row == v1alpha1.Passed {
				r.Summary.Passed++
			}
		}
		return r
	}
	whole := of("v1.34.4", v1alpha1.Conformant, v1alpha1.Passed, v1alpha1.Passed, v1alpha1.Passed)
	cut := of("v1.35.4", v1alpha1.Inconclusive, v1alpha1.Passed, v1alpha1.Skipped, v1alpha1.Skipped)
	cut.CutShort = &v1alpha1.CutShort{NotJudged: []string{"SH-002"}}
	for want, reports := range map[string][]*v1alpha1.ConformanceReport{
		"passed      3           3\nfailed      0           0\n":                                                             {whole, whole},
		"passed      3           1\nfailed      0           0\nnot judged  0           1\nSH-003      Passed      Skipped\n": {whole, cut},
	} {
		var out strings.Builder
		if err := printByVersion(&out, reports); err != nil || !strings.HasSuffix(out.String(), want) {
			t.Errorf("%v, and printed:\n%s\nwant at its end:\n%s", err, out.String(), want)
		}
	}
}

// TestFoldersOfEach: what a run on one version writes does not replace what one before it wrote.
func TestFoldersOfEach(t *testing.T) {
	flags := runFlags{reportDir: "reports", cpuProfileDir: "cpu"}
	turn := flags.perVersion()
	for _, version := range []string{"v1.34.4", "v1.37.2"} {
		turn(version)
		if want := filepath.Join("reports", version); flags.reportDir != want {
			t.Errorf("the reports are in %s, want %s", flags.reportDir, want)
		}
		if want := filepath.Join("cpu", version); flags.cpuProfileDir != want {
			t.Errorf("the profiles are in %s, want %s", flags.cpuProfileDir, want)
		}
		if flags.kubernetes.String() != version {
			t.Errorf("it runs on %s, want %s", flags.kubernetes.String(), version)
		}
	}
	flags = runFlags{reportDir: "reports"}
	if flags.perVersion()("v1.37.2"); flags.cpuProfileDir != "" {
		t.Errorf("profiles that nobody asked for are in %s", flags.cpuProfileDir)
	}
}

// TestTellEach: if a run cannot be carried out on one version, what was judged on those
// before it is told, and which have no verdict.
func TestTellEach(t *testing.T) {
	broken := benchError{errors.New("no space left")}
	versions := []string{"v1.34.4", "v1.35.4", "v1.36.3", "v1.37.2"}
	for name, tc := range map[string]struct {
		on   string
		want []string
		not  string
	}{
		"the first":  {"v1.34.4", nil, "v1.34.4"},
		"the second": {"v1.35.4", []string{"Kubernetes  v1.34.4\n", "no verdict: v1.35.4\nnot begun, as that failed: v1.36.3, v1.37.2\nthe reports: reports/VERSION\n"}, "interrupted"},
		"the last":   {"v1.37.2", []string{"Kubernetes  v1.34.4     v1.35.4     v1.36.3\n", "no verdict: v1.37.2\nthe reports: "}, "not begun"},
		"none":       {"", []string{"v1.37.2\nverdict ", "\nthe reports: "}, "no verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			reports, failed := judgeEach(t.Context(), versions, func(version string) (*v1alpha1.ConformanceReport, error) {
				if version == tc.on {
					return nil, broken
				}
				return &v1alpha1.ConformanceReport{Verdict: v1alpha1.Conformant, Versions: v1alpha1.Versions{Kubernetes: version}}, nil
			})
			if (failed != nil) != (tc.on != "") || failed != nil && !errors.Is(failed, broken) {
				t.Errorf("error %v", failed)
			}
			var out strings.Builder
			if err := tellEach(&out, "reports", versions, reports, failed); err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q:\n%s", want, out.String())
				}
			}
			if strings.Contains(out.String(), tc.not) {
				t.Errorf("it says %q:\n%s", tc.not, out.String())
			}
		})
	}
}

// TestWorst: the exit status for several versions is that of a failed version, if any
// failed.
func TestWorst(t *testing.T) {
	of := func(verdicts ...v1alpha1.Verdict) (reports []*v1alpha1.ConformanceReport) {
		for _, v := range verdicts {
			r := &v1alpha1.ConformanceReport{Verdict: v}
			if v == v1alpha1.NotConformant {
				r.Results = []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Failed}}
			}
			reports = append(reports, r)
		}
		return reports
	}
	for want, reports := range map[error][]*v1alpha1.ConformanceReport{
		nil:                             of(v1alpha1.Conformant, v1alpha1.Partial),
		statusError(1):                  of(v1alpha1.Inconclusive, v1alpha1.NotConformant, v1alpha1.Conformant),
		statusError(statusInconclusive): of(v1alpha1.Conformant, v1alpha1.Inconclusive),
	} {
		if got := worst(reports); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
