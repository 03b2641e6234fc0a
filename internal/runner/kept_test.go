package runner

import (
	"errors"
	"testing"
)

// TestKeptLog: an error names a log that still exists when somebody reads the error.
func TestKeptLog(t *testing.T) {
	s := &Session{work: "/tmp/work", keptLogs: "reports/logs/controlplane"}
	cause := errors.New("etcd: ended (log: /tmp/work/controlplane/logs/etcd.log)")
	err := s.keptLog(cause)
	if want := "etcd: ended (log: reports/logs/controlplane/etcd.log)"; err.Error() != want || !errors.Is(err, cause) {
		t.Errorf("got %q, want %q", err, want)
	}
	if s.keptLog(nil) != nil {
		t.Error("no error became one")
	}
}
