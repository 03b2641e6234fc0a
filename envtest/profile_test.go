package envtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
)

// Each component is profiled until the end, and nothing is written before.
func TestProfiles(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	dir := filepath.Join(tempDir(t), "profiles")
	cp, err := Start(t.Context(), Options{CPUProfileDir: dir, WithoutPods: true})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("before the end there are %v, %v", files, err)
	}
	if err := cp.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{etcd, apiServer, controllerManager} {
		file, err := os.Open(filepath.Join(dir, name+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		p, err := profile.Parse(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.PeriodType.Type != "cpu" || p.DurationNanos <= 0 {
			t.Errorf("the profile of %s is of %s, in %d ns", name, p.PeriodType.Type, p.DurationNanos)
		}
		// The API server is never idle. etcd can be, for as long as it is looked at here.
		if name == apiServer && len(p.Sample) == 0 {
			t.Errorf("the profile of %s has no samples in %d ns", name, p.DurationNanos)
		}
	}
}
