package student

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settling is how long nothing may change after a change, because editors write in several
// steps.
const settling = 200 * time.Millisecond

// Watch reports when a file in the folder or below it has changed, once for several changes in a
// row. When ctx ends, the channel is closed.
func Watch(ctx context.Context, dir string) (<-chan struct{}, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	if err := watchBelow(watcher, dir); err != nil {
		watcher.Close()
		return nil, fmt.Errorf("watching %s: %w", dir, err)
	}
	return follow(ctx, watcher), nil
}

// follow reports the changes that a watcher sees, until ctx ends. Then it closes both.
func follow(ctx context.Context, watcher *fsnotify.Watcher) <-chan struct{} {
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
				if isOthers(filepath.Base(event.Name)) || event.Op == fsnotify.Chmod {
					continue
				}
				if event.Has(fsnotify.Create) {
					_ = watchBelow(watcher, event.Name) // it may be a folder, or gone again
				}
				settled.Reset(settling)
			case _, open := <-watcher.Errors: // some changes were too many to be told
				if !open {
					return
				}
				settled.Reset(settling)
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
	return changes
}

// watchBelow watches a folder and those below it, which a watcher does not do by itself.
func watchBelow(watcher *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case path != dir && isOthers(entry.Name()):
			return fs.SkipDir
		default:
			return watcher.Add(path)
		}
	})
}

// isOthers tells whether a file with this name was not written by the student, but by the
// check (such as the progress), an editor or the version control.
func isOthers(name string) bool {
	return strings.HasPrefix(name, ".") || name == "bin" || name == "node_modules"
}
