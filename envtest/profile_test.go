package envtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/pprof/profile"
)

// Each component is profiled until the end, and no profile is written before.
func TestProfiles(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	dir := filepath.Join(tempDir(t), "profiles")
	cp, err := Start(t.Context(), Options{CPUProfileDir: dir, WithoutPods: true})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() != auditLog {
		t.Errorf("before the end there are %v, %v", files, err)
	}
	if err := cp.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{etcd, apiServer, controllerManager} {
		p := readProfile(t, filepath.Join(dir, name+".pb.gz"))
		if p.PeriodType.Type != "cpu" || p.DurationNanos <= 0 {
			t.Errorf("the profile of %s is of %s, in %d ns", name, p.PeriodType.Type, p.DurationNanos)
		}
		// The API server is never idle. etcd can be, for as long as it is looked at here.
		if name == apiServer && len(p.Sample) == 0 {
			t.Errorf("the profile of %s has no samples in %d ns", name, p.DurationNanos)
		}
		if heap := readProfile(t, filepath.Join(dir, "heap", name+".pb.gz")); len(heap.Sample) == 0 {
			t.Errorf("the memory of %s is empty", name)
		}
	}
	requests, err := os.ReadFile(filepath.Join(dir, requestsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^client +resource +reads +writes +watches +refused$`,
		`(?m)^kube-controller-manager +configmaps +\d+ +\d+ +[1-9]`,
		`(?m)^namespaces +\d+\.\d +[1-9]\d* +\d+\.\d +[1-9]`, // in the second table
	} {
		if !regexp.MustCompile(want).Match(requests) {
			t.Errorf("the requests have no line like %s:\n%s", want, requests)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, auditLog)); !os.IsNotExist(err) {
		t.Errorf("the audit log is left: %v", err)
	}
}

func readProfile(t *testing.T, path string) *profile.Profile {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return p
}

func TestCollecting(t *testing.T) {
	sample := func(nanoseconds int64, functions ...string) *profile.Sample {
		s := &profile.Sample{Value: []int64{1, nanoseconds}}
		for _, name := range functions {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		return s
	}
	for name, tc := range map[string]struct {
		samples []*profile.Sample
		want    float64
	}{
		"nothing":            {nil, 0},
		"no collection":      {[]*profile.Sample{sample(10, "main.work", "main.main")}, 0},
		"a worker":           {[]*profile.Sample{sample(30, "main.work"), sample(10, "runtime.scanobject", "runtime.gcBgMarkWorker")}, 0.25},
		"one that must help": {[]*profile.Sample{sample(10, "main.work"), sample(10, "runtime.gcAssistAlloc", "runtime.mallocgc", "main.work")}, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Collecting(&profile.Profile{Sample: tc.samples}); got != tc.want {
				t.Errorf("%g, want %g", got, tc.want)
			}
		})
	}
}
