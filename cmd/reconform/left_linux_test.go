package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"reconform.dev/reconform/cmd/internal/program"
)

// TestTakesOver: files and processes of a killed command do not hinder the next one,
// which removes them.
func TestTakesOver(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	adoptOrphans(t)
	first := startCommand(t, "up")
	first.await(t, "Ctrl+C ends it all")
	first.checkEnd(t, syscall.SIGKILL, false, killedBySignal)
	first.checkGone(t, "tmp/reconform-[0-9]*")
	if _, err := os.Stat(first.path("kubeconfig")); err != nil {
		t.Fatalf("it left no kubeconfig, so there is nothing to be shown: %v", err)
	}
	second := startCommandIn(t, "up", first.dir)
	second.await(t, "Ctrl+C ends it all")
	second.checkKubeconfig(t)
	left, err := filepath.Glob(second.path("tmp/reconform-up-*"))
	if err != nil || len(left) != 1 {
		t.Errorf("the folders for logs are %v, want that of the second only", left)
	}
	third := startCommandIn(t, "up", first.dir)
	third.await(t, "the reconform up that wrote it is running")
	third.end(t, syscall.SIGTERM, true)
	if status := third.ProcessState.ExitCode(); status != statusUsage {
		t.Errorf("a third has exit status %d, want %d", status, statusUsage)
	}
	second.checkEnd(t, syscall.SIGINT, false, statusOK)
}

// TestUnread: if nobody reads its output any more, a command still cleans up and ends.
func TestUnread(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	for _, name := range []string{"run", "up"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := prepareCommand(t, name, t.TempDir())
			stderr, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(stderr, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			_ = stderr.Close()
			_ = c.Wait() // how it ended is looked at below
			if status := c.ProcessState.ExitCode(); status != program.StatusUnread && (name == "run" || status != statusOK) {
				t.Errorf("exit status %d", status)
			}
			c.checkFiles(t, true)
		})
	}
}
