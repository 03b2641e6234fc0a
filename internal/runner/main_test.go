package runner

import (
	"os"
	"testing"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	chainsaw.Main()
	os.Exit(m.Run())
}

// startsControlPlane skips a test that takes long if the tests are to be short.
func startsControlPlane(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
}
