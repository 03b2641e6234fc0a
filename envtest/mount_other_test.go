//go:build !linux

package envtest

import (
	"errors"
	"testing"
)

func mountTmpfs(*testing.T, string, string) error { return errors.ErrUnsupported }
