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

// toolchain has the folders of this machine's Go, and of its downloaded and compiled
// packages.
type toolchain struct {
	GOROOT, GOCACHE, GOMODCACHE string
}

// findToolchain writes the sources of the last solution into a folder and asks Go there. Go
// then uses the toolchain that the labs need, and downloads it if necessary.
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

// program returns the path of the go command.
func (t *toolchain) program() string { return filepath.Join(t.GOROOT, "bin", "go") }

// build returns the command that builds the module of the current folder.
func (t *toolchain) build(output string) []string {
	return []string{t.program(), "build", "-mod=readonly", "-buildvcs=false", "-o", output, "."}
}

// settings returns settings of the go command that a submission must not choose. They are the
// same for all builds, because what was built with others is not taken from the cache. With
// them no C compiler runs, and no other toolchain is downloaded.
func (t *toolchain) settings() map[string]string {
	return map[string]string{
		"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": "", "GOTELEMETRY": "off",
	}
}

// WarmUp builds the last solution, so that the packages that submissions import are in the
// caches. Submissions are built without a network, and cannot add to the caches.
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
