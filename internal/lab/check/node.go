package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/envtest/folder"
)

// buildNode fetches the dependencies of a controller in JavaScript. It also parses its
// files once, so that syntax errors are reported at once.
func buildNode(ctx context.Context, dir string) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return errors.New("this controller is in JavaScript: it needs Node.js 20.3 or later on the PATH, and npm beside it")
	}
	if err := fetch(ctx, dir); err != nil {
		return err
	}
	files, err := folder.Glob(dir, "*.js")
	if err != nil {
		return fmt.Errorf("looking for the controller's files: %w", err)
	}
	slices.Sort(files)
	for _, file := range files {
		if err := run(ctx, dir, exec.CommandContext(ctx, node, "--check", filepath.Base(file))); err != nil {
			return err
		}
	}
	return nil
}

// fetch fetches the dependencies that the lockfile names, if it has changed since the last
// time.
func fetch(ctx context.Context, dir string) error {
	locked, err := os.Stat(filepath.Join(dir, "package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // The student must install what is not locked.
	}
	if err != nil {
		return fmt.Errorf("looking for the lockfile: %w", err)
	}
	if there, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil && !there.ModTime().Before(locked.ModTime()) {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("this controller is in JavaScript: npm is not on the PATH, and gets what it depends on")
	}
	install := exec.CommandContext(ctx, npm, "ci", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("getting what the controller depends on, by npm ci: %w\n%s", err, out)
	}
	return nil
}
