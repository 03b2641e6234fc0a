package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"reconform.dev/reconform/envtest/folder"
)

// NotBuilt says why a controller does not compile.
type NotBuilt struct{ Output string }

func (e *NotBuilt) Error() string { return "it does not compile:\n" + e.Output }

// Build builds the controller in a folder. A Go module is built into bin/controller, which
// its profile names. If there is a package.json, its dependencies are fetched. If there are
// both, it is in Go if there are Go files. If there is neither, nothing is built: Go files then need
// a bin/controller that is newer, and without one it is an error.
func Build(ctx context.Context, dir string) error {
	inGo, err := InGo(dir)
	if err != nil {
		return err
	}
	node, err := isThere(dir, "package.json")
	if err != nil {
		return err
	}
	switch {
	case inGo:
		return buildGo(ctx, dir)
	case node:
		return buildNode(ctx, dir)
	default:
		return withoutModule(dir)
	}
}

// InGo tells whether the controller in a folder is a Go module. Beside a package.json, a go.mod
// without Go files is a leftover.
func InGo(dir string) (bool, error) {
	module, err := isThere(dir, "go.mod")
	if !module || err != nil {
		return false, err
	}
	node, err := isThere(dir, "package.json")
	if !node || err != nil {
		return err == nil, err
	}
	sources, err := folder.Glob(dir, "*.go")
	if err != nil {
		return false, fmt.Errorf("looking for Go files: %w", err)
	}
	return len(sources) > 0, nil
}

// isThere tells whether a folder has a file.
func isThere(dir, name string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("looking for %s: %w", name, err)
	}
	return err == nil, nil
}

// program is what is built, in the folder of the controller.
const program = "bin/controller"

// withoutModule returns an error if there are Go files and no module, unless there is a program
// that was built after they were changed.
func withoutModule(dir string) error {
	sources, err := folder.Glob(dir, "*.go")
	if err != nil {
		return fmt.Errorf("looking for Go files: %w", err)
	}
	if len(sources) == 0 {
		return nil
	}
	built, err := os.Stat(filepath.Join(dir, program))
	if err != nil {
		return &NotBuilt{fmt.Sprintf("%s has Go files, and no go.mod: copy that of another lab, or begin anew with reconform lab reset", dir)}
	}
	for _, source := range sources {
		if info, err := os.Stat(source); err == nil && info.ModTime().After(built.ModTime()) {
			return &NotBuilt{fmt.Sprintf("%s has changed since %s was built, and %s has no go.mod by which to build it: copy that of another lab, or build it yourself",
				filepath.Base(source), program, dir)}
		}
	}
	return nil
}

func buildGo(ctx context.Context, dir string) error {
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, ".")
	// It is a module of its own, also if there is a go.work in a folder above it.
	build.Env = append(os.Environ(), "GOWORK=off")
	if err := run(ctx, dir, build); err != nil {
		return err
	}
	return isProgram(dir)
}

// isProgram returns an error if what was built is the archive of a package.
func isProgram(dir string) error {
	built, err := os.Open(filepath.Join(dir, program))
	if err != nil {
		return fmt.Errorf("looking at what was built: %w", err)
	}
	defer built.Close()
	const archive = "!<arch>\n"
	begin := make([]byte, len(archive))
	if _, err := io.ReadFull(built, begin); err == nil && string(begin) == archive {
		return &NotBuilt{"no program was built, as the files are of another package: let each begin with package main"}
	}
	return nil
}

// run runs a command whose output says what is wrong with the student's files.
func run(ctx context.Context, dir string, command *exec.Cmd) error {
	command.Dir = dir
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return &NotBuilt{strings.TrimSpace(out.String())}
	}
	if err != nil {
		return fmt.Errorf("building the controller: %w", err)
	}
	return nil
}
