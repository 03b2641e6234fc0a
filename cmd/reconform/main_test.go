package main

import (
	"bytes"
	"os"
	"testing"

	"reconform.dev/reconform/cmd/internal/program"
)

// commandEnv makes the test binary the command itself.
const commandEnv = "RECONFORM_TEST_COMMAND"

func TestMain(m *testing.M) {
	program.Begin()
	if os.Getenv(commandEnv) != "" {
		main()
	}
	if len(os.Args) > 1 && os.Args[1] == talkativeArgument {
		if err := talk(); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// startsControlPlane skips a test that takes long if the tests are to be short.
func startsControlPlane(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
}

// run executes the command in this process.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics bytes.Buffer
	status = execute(args, &out, &diagnostics)
	return status, out.String(), diagnostics.String()
}
