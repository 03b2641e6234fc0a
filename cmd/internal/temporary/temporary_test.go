package temporary_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "sigs.k8s.io/controller-runtime/pkg/envtest"

	_ "reconform.dev/reconform/cmd/internal/temporary"
)

// TestNowhereToWrite: a program that links envtest says what is wrong, and does not
// panic.
func TestNowhereToWrite(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		home, tmp string
		works     bool
	}{
		"nowhere":                  {file, file, false},
		"nowhere, and no HOME":     {"", file, false},
		"in the caches":            {t.TempDir(), file, true},
		"in the temporary folders": {file, t.TempDir(), true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(self, "-test.run=^$")
			cmd.Env = []string{"HOME=" + tc.home, "TMPDIR=" + tc.tmp}
			out, err := cmd.CombinedOutput()
			if tc.works {
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
				return
			}
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.HasPrefix(string(out), "error: no temporary files can be written: ") ||
				!strings.Contains(string(out), "set TMPDIR") || strings.Count(string(out), "\n") != 1 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
