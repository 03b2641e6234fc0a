package student

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settling is how long nothing may change after a change, because editors write in several
// steps.
const settling = 200 * time.Millisecond

// Watch reports when a file of the folder has changed, once for several changes in a row.
// When ctx ends, the channel is closed.
func Watch(ctx context.Context, dir string) (<-chan struct{}, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	if err := watcher.Add(dir); err != nil {
		watcher.Close()
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	changes := make(chan struct{}, 1)
	go func() {
		defer close(changes)
		defer watcher.Close()
		settled := time.NewTimer(settling)
		settled.Stop()
		for {
			select {
			case event, open := <-watcher.Events:
				if !open {
					return
				}
				if !ours(filepath.Base(event.Name)) && event.Op != fsnotify.Chmod {
					settled.Reset(settling)
				}
			case <-settled.C:
				select {
				case changes <- struct{}{}:
				default: // A change is waiting to be taken already.
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return changes, nil
}

// ours tells whether the check itself creates a file with this name.
func ours(name string) bool {
	return slices.Contains([]string{progressFile, "bin", "node_modules"}, name)
}
