package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/folder"
)

const (
	// ownProfile is the CPU profile of this process. Beside it are those of the control
	// plane's components.
	ownProfile = "reconform.pb.gz"
	// usageFile says what each program used.
	usageFile = "usage.txt"
)

// startCPUProfile profiles this process until the session is closed, and measures what all
// processes use.
func (s *Session) startCPUProfile(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder for profiles: %w", err)
	}
	file, err := os.Create(filepath.Join(dir, ownProfile))
	if err != nil {
		return fmt.Errorf("making the profile: %w", err)
	}
	used := newUsage()
	s.onClose(func(context.Context) error {
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil || used == nil {
			return err
		}
		used.stop()
		return used.save(dir)
	})
	if used != nil {
		go used.measure()
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return fmt.Errorf("starting the profile: %w", err)
	}
	return nil
}

// profileMemory writes a profile of this process's memory when the session begins to close.
func (s *Session) profileMemory(dir string) {
	if dir == "" {
		return
	}
	s.onClose(func(context.Context) error {
		path := filepath.Join(dir, "heap", ownProfile)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the folder for profiles: %w", err)
		}
		file, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("making the profile: %w", err)
		}
		runtime.GC() // what is left after it is in use
		return errors.Join(pprof.WriteHeapProfile(file), file.Close())
	})
}

// save writes the table of what was used to the folder of the CPU profiles.
func (u *usage) save(dir string) error {
	collecting := map[string]float64{}
	profiles, err := folder.Glob(dir, "*.pb.gz")
	if err != nil {
		return fmt.Errorf("looking for profiles: %w", err)
	}
	for _, path := range profiles {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("reading a profile: %w", err)
		}
		cpu, err := profile.Parse(file)
		file.Close()
		if err != nil {
			return fmt.Errorf("reading the profile %s: %w", path, err)
		}
		collecting[strings.TrimSuffix(filepath.Base(path), ".pb.gz")] = envtest.Collecting(cpu)
	}
	file, err := os.Create(filepath.Join(dir, usageFile))
	if err != nil {
		return fmt.Errorf("writing what was used: %w", err)
	}
	return errors.Join(u.write(file, collecting), file.Close())
}
