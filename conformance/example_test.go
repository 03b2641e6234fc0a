package conformance_test

import (
	"os/exec"
	"testing"
	"time"

	"reconform.dev/reconform/conformance"
)

var t *testing.T // of func TestConformance(t *testing.T)

// A whole test: it builds the controller that the profile starts, and judges it. With
// -short it leaves out what takes long.
func ExampleRun() {
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "bin/manager", "./cmd/manager")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the controller: %v\n%s", err, said)
	}
	options := conformance.Options{Profile: "reconform.yaml"}
	if testing.Short() {
		options.Selector = "slow!=true"
	}
	conformance.Run(t, options)
}

// A test that searches for five minutes, each time from another beginning.
func ExampleExplore() {
	conformance.Explore(t, conformance.ExploreOptions{
		Profile: "reconform.yaml", Budget: 5 * time.Minute, Seed: time.Now().Unix(), Known: "known-failures.yaml",
	})
}
