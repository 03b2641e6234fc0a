package runner

import (
	"os"
	"testing"

	"reconform.dev/reconform/conformance/chainsaw"
	"reconform.dev/reconform/envtest/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	chainsaw.Main()
	os.Exit(m.Run())
}
