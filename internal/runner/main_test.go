package runner

import (
	"os"
	"testing"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/chainsaw"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	chainsaw.Main()
	os.Exit(m.Run())
}
