package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
)

func TestHistoryThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, report.HistoryFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	s := &Session{}
	if err := s.openHistory(dir); err != nil {
		t.Fatal(err)
	}
	s.Recorder.Event(history.Event{Scenario: "sh-001"})
	select {
	case <-s.recording.Done():
	default:
		t.Error("the session does not notice it")
	}
	err := s.Close(t.Context())
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "writing the history") {
		t.Errorf("Close = %v, want that the disk is full", err)
	}
}
