package main

import (
	"os/exec"
	"testing"

	"reconform.dev/reconform/conformance"
)

// TestConformance judges the controller. With -short it leaves out what takes long.
func TestConformance(t *testing.T) {
	build(t)
	options := conformance.Options{Profile: "reconform.yaml"}
	if testing.Short() {
		options.Selector = "slow!=true"
	}
	conformance.Run(t, options)
}

// build the controller.
func build(t *testing.T) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", "bin/site-operator", ".")
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building the controller: %v\n%s", err, said)
	}
}
