package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// NotBuilt says why a controller does not compile.
type NotBuilt struct{ Output string }

func (e *NotBuilt) Error() string { return "it does not compile:\n" + e.Output }

// Build the controller in a folder, where it is a Go module: into bin/controller, which
// its profile names. In other languages there is nothing to do.
func Build(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", filepath.Join("bin", "controller"), ".")
	build.Dir = dir
	// It is a module of its own, whatever is above it.
	build.Env = append(os.Environ(), "GOWORK=off")
	var out bytes.Buffer
	build.Stdout, build.Stderr = &out, &out
	err := build.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return &NotBuilt{strings.TrimSpace(out.String())}
	}
	if err != nil {
		return fmt.Errorf("building the controller: %w", err)
	}
	return nil
}
