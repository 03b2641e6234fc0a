package student

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestWatch: a change of a file is reported, also below the folder, and in a folder that was made
// meanwhile. What a check itself writes is not, as it would be followed by a check for ever.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	for _, below := range []string{"api/v1", "bin", "node_modules/client", ".git"} {
		if err := os.MkdirAll(filepath.Join(dir, below), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := Watch(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	reported := func(within time.Duration) bool {
		select {
		case <-changes:
			return true
		case <-time.After(within):
			return false
		}
	}
	for _, step := range []struct {
		name string
		do   func(path string) error
		want bool
	}{
		{"main.go", write, true},
		{"bin/controller", write, false},
		{"node_modules/client/index.js", write, false},
		{".git/index", write, false},
		{".main.go.swp", write, false},
		{".reconform-lab.yaml", write, false},
		{"", saveProgress, false},
		{"api/v1/types.go", write, true},
		{"controller", mkdir, true},
		{"controller/reconcile.go", write, true},
		{"controller/deep/er", mkdir, true},
		{"controller/deep/er/status.go", write, true},
		{"controller/bin", mkdir, false},
	} {
		if err := step.do(filepath.Join(dir, step.name)); err != nil {
			t.Fatal(err)
		}
		within := 3 * settling
		if step.want {
			within = 20 * time.Second
		}
		if got := reported(within); got != step.want {
			t.Errorf("%s: reported %t, want %t", step.name, got, step.want)
		}
		for reported(2 * settling) {
			continue // until it is quiet
		}
	}
}

func write(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }

func saveProgress(dir string) error { return (&Folder{Dir: dir}).Save() }

func mkdir(path string) error { return os.MkdirAll(path, 0o755) }

// TestWatchGoesOn: if there were too many changes to be told, that is a change, too, and later
// ones are seen.
func TestWatchGoesOn(t *testing.T) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	changes := follow(t.Context(), watcher)
	for range 2 {
		select {
		case watcher.Errors <- fsnotify.ErrEventOverflow:
		case <-time.After(10 * time.Second):
			t.Fatal("nobody takes what has failed, so the watcher waits for ever")
		}
		select {
		case <-changes:
		case <-time.After(10 * time.Second):
			t.Fatal("no change was reported")
		}
	}
}
