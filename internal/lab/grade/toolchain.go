package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/student"
)

// toolchain is where the Go of this machine is, and what it has downloaded and compiled.
type toolchain struct {
	GOROOT, GOCACHE, GOMODCACHE string
}

// findToolchain makes a folder with the sources of the last solution, and asks Go there: it
// then takes the toolchain that the labs need, and fetches it where it has to.
func findToolchain(ctx context.Context, labs fs.FS, dir string) (*toolchain, error) {
	files, err := student.Files(labs, path.Dir(mistake.Base), path.Base(mistake.Base))
	if err != nil {
		return nil, err
	}
	if err := student.Write(dir, files); err != nil {
		return nil, fmt.Errorf("preparing to build submissions: %w", err)
	}
	ask := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOCACHE", "GOMODCACHE")
	ask.Dir, ask.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := ask.Output()
	if err != nil {
		return nil, fmt.Errorf("finding Go, by which submissions are built: %w", err)
	}
	t := &toolchain{}
	if err := json.Unmarshal(out, t); err != nil {
		return nil, fmt.Errorf("finding Go: %w", err)
	}
	return t, nil
}

// program is the go command.
func (t *toolchain) program() string { return filepath.Join(t.GOROOT, "bin", "go") }

// build are the arguments by which everything is built.
func (t *toolchain) build(output string) []string {
	return []string{t.program(), "build", "-mod=readonly", "-buildvcs=false", "-o", output, "."}
}

// settings of the go command that a submission must not choose, and a cache must agree with.
// No C compiler is run, and no other toolchain is fetched.
func (t *toolchain) settings() map[string]string {
	return map[string]string{
		"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": "", "GOTELEMETRY": "off",
	}
}

// WarmUp builds the last solution, so that what submissions import is in the caches:
// theirs are built without a network, and cannot add to the caches.
func WarmUp(ctx context.Context, labs fs.FS, work string) (err error) {
	dir := filepath.Join(work, "solution")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t, err := findToolchain(ctx, labs, dir)
	if err != nil {
		return err
	}
	args := t.build(filepath.Join(dir, "controller"))
	build := exec.CommandContext(ctx, args[0], args[1:]...)
	build.Dir, build.Env = dir, os.Environ()
	for name, value := range t.settings() {
		build.Env = append(build.Env, name+"="+value)
	}
	var problem bytes.Buffer
	build.Stdout, build.Stderr = &problem, &problem
	if err := build.Run(); err != nil {
		return fmt.Errorf("building a solution, to fill the caches of Go: %w: %s", err, bytes.TrimSpace(problem.Bytes()))
	}
	return nil
}
