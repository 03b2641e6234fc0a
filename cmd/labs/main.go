// Command labs writes the starts and the solutions of the build labs, and what a
// student's module is made of, into the folder of the labs.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"reconform.dev/reconform/internal/lab/steps"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: labs FOLDER")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "labs:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, dir string) error {
	generated, err := steps.Tree(os.DirFS(dir))
	if err != nil {
		return err
	}
	beyond, err := steps.Beyond(os.DirFS(dir))
	if err != nil {
		return err
	}
	forms, err := answers(os.DirFS(dir))
	if err != nil {
		return err
	}
	module, err := steps.Module(ctx, dir)
	if err != nil {
		return err
	}
	// What is no longer generated must not stay.
	for _, folder := range []string{
		"[0-9][0-9]-*/start", "[0-9][0-9]-*/solution", "[0-9][0-9]-*/" + steps.Node().Name, steps.Exercise + "/start",
		"beyond/*/start", "beyond/*/solution",
	} {
		old, err := filepath.Glob(filepath.Join(dir, folder))
		if err != nil {
			return fmt.Errorf("finding what was generated: %w", err)
		}
		for _, path := range old {
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("removing what was generated: %w", err)
			}
		}
	}
	for _, files := range []map[string]string{generated, beyond, forms, module} {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("making the folder of %s: %w", name, err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return fmt.Errorf("writing %s: %w", name, err)
			}
		}
	}
	return nil
}
