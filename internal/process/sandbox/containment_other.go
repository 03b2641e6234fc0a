//go:build unix && !linux

package sandbox

import "os"

func executable() (string, error) { return os.Executable() }

func containments() []containment { return nil }
