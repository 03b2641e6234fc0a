package grade

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/process/sandbox"
)

// What a build may use, all its processes together.
const (
	mostMemory    = 3 << 30
	mostProcesses = 200
	mostProgram   = 256 << 20
	lookInterval  = 500 * time.Millisecond
	// lastLines of the compiler's output are enough: the first errors are in them.
	lastLines = 20
)

// notBuilt says why a submission could not be built.
type notBuilt struct{ why string }

func (e *notBuilt) Error() string { return e.why }

// build builds bin/controller from the source in a folder, if the folder is a Go
// module. The build can read that folder, Go and its caches, and it can write to one
// other folder only.
func (o *Options) build(ctx context.Context, dir string) error {
	if inGo, err := check.InGo(dir); !inGo || err != nil {
		return err
	}
	tools, err := findToolchain(ctx, o.Labs, filepath.Join(o.Work, "solution"))
	if err != nil {
		return err
	}
	out := filepath.Join(o.Work, "built")
	if err := errors.Join(os.Mkdir(out, 0o755), os.Chmod(out, 0o777)); err != nil {
		return fmt.Errorf("preparing the build: %w", err)
	}
	env := tools.settings()
	maps.Copy(env, map[string]string{
		"GOROOT": tools.GOROOT, "GOCACHE": tools.GOCACHE, "GOMODCACHE": tools.GOMODCACHE,
		"GOENV": "off", "GOPROXY": "off", "GOSUMDB": "off",
	})
	built := filepath.Join(out, "controller")
	process, err := o.Launcher.Start(ctx, sandbox.Spec{
		Name: "build", Namespace: "build", Command: tools.build(built), Directory: dir,
		Readable: []string{tools.GOROOT, tools.GOCACHE, tools.GOMODCACHE}, Writable: out, Hidden: o.Hidden, Env: env,
		Host: "127.0.0.1", Port: "6443", // where nothing listens
		ScratchDir: filepath.Join(o.Work, "scratch"), Log: filepath.Join(o.Work, "build.log"),
	})
	if err != nil {
		return fmt.Errorf("starting the build: %w", err)
	}
	if err := follow(ctx, process); err != nil {
		return err
	}
	if code, signal, _ := process.Exit(); code != 0 {
		return &notBuilt{strings.Join(append(process.LogTail(lastLines), signal), "\n")}
	}
	info, err := os.Lstat(built)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || info.Size() > mostProgram {
		return &notBuilt{fmt.Sprintf("no program of at most %d MiB was built: is it a package main?", mostProgram>>20)}
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "bin")), os.Mkdir(filepath.Join(dir, "bin"), 0o755)); err != nil {
		return fmt.Errorf("moving what was built into bin: %w", err)
	}
	program := filepath.Join(dir, "bin", "controller")
	if err := errors.Join(os.Rename(built, program), os.Chmod(program, 0o755)); err != nil {
		return fmt.Errorf("moving what was built into bin: %w", err)
	}
	return nil
}

// follow follows a build until its end, and ends it if it uses too much.
func follow(ctx context.Context, process *sandbox.Process) error {
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		select {
		case <-process.Done():
			return nil
		case <-ctx.Done():
			return errors.Join(ctx.Err(), process.Kill())
		case <-look.C:
		}
		usage, err := process.Usage()
		if err == nil && (usage.Memory > mostMemory || usage.Processes > mostProcesses) {
			_ = process.Kill()
			return &notBuilt{fmt.Sprintf("the build held %d MiB of memory and %d processes, and was ended", usage.Memory>>20, usage.Processes)}
		}
	}
}
