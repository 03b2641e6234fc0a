package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
)

// startProfile profiles this process until the session is closed.
func (s *Session) startProfile(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder for profiles: %w", err)
	}
	file, err := os.Create(filepath.Join(dir, "reconform.pb.gz"))
	if err != nil {
		return fmt.Errorf("making the profile: %w", err)
	}
	s.onClose(func(context.Context) error {
		pprof.StopCPUProfile()
		return file.Close()
	})
	if err := pprof.StartCPUProfile(file); err != nil {
		return fmt.Errorf("starting the profile: %w", err)
	}
	return nil
}
