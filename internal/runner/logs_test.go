package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLogsOf: the logs are found, whatever the name of the report folder.
func TestLogsOf(t *testing.T) {
	reports := filepath.Join(t.TempDir(), "my reports [1]")
	dir := filepath.Join(logDir(reports), "sh-001")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"subject-1.log", "subject-0.log", "other.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"logs/sh-001/subject-0.log", "logs/sh-001/subject-1.log"}, logsOf(reports, "sh-001")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
