package fault

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	code := m.Run()
	if started {
		if cp, _ := controlPlane(); cp != nil {
			if err := cp.Stop(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

var (
	started bool
	// controlPlane is started by the first test that needs one.
	controlPlane = sync.OnceValues(func() (*envtest.ControlPlane, error) {
		started = true
		return envtest.Start(context.Background(), envtest.Options{WithoutPods: true})
	})
)
