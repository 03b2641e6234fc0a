package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What we changed in the profile that init wrote: the lines of init that we replaced, by
// their beginnings, and our lines.
var (
	replaced = []string{
		"# ? longest was not seen", "retry: {",
		"# ? after which time does it look", "#resync: ",
		"# ? how many requests per second", "#clientQPS: ",
		"ports: [", // in the order of their numbers, which are others each time
	}
	ours = []string{
		"description: A small controller of Sites, the example of a repository with its conformance in a Go test.",
		"longestRetryPause: 15s", "resync: 10h", "clientQPS: 0", "ports: [metrics, health]",
	}
)

// TestProfile: reconform.yaml is what init writes today, with these changes. It takes about
// a minute.
func TestProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	build(t)
	const out = "reconform.written.yaml" // beside the other, because paths are written from there
	t.Cleanup(func() { _ = os.Remove(out) })
	init := reconform(t, "init", "--crd", "config/crd/sites.yaml", "--sample", "config/samples/site.yaml", "--rbac", "config/rbac", "--out", out,
		"--", "bin/site-operator", "--metrics-bind-address="+address(t), "--health-probe-bind-address="+address(t), "--leader-elect")
	if said, err := init.CombinedOutput(); err != nil {
		t.Fatalf("reconform init: %v\n%s", err, said)
	}
	written, committed := lines(t, out), lines(t, "reconform.yaml")
	for _, line := range written {
		known := func(beginning string) bool { return strings.HasPrefix(line, beginning) }
		if !slices.Contains(committed, line) && !slices.ContainsFunc(replaced, known) {
			t.Errorf("reconform.yaml lacks what init writes: %s", line)
		}
	}
	for _, line := range committed {
		if !slices.Contains(written, line) && !slices.Contains(ours, line) {
			t.Errorf("reconform.yaml has what init does not write, and what is not named as a change: %s", line)
		}
	}
}

// reconform returns a command of the suite. In this checkout, its program may be there
// already, and TestConformance has built the control plane.
func reconform(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat("../../bin/reconform"); err == nil {
		return exec.CommandContext(t.Context(), "../../bin/reconform", arguments...)
	}
	command := exec.CommandContext(t.Context(), "go", append([]string{"tool", "reconform"}, arguments...)...)
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^KUBERNETES_VERSION := (\S+)$`).FindSubmatch(makefile)
	if version != nil && os.Getenv("KUBEBUILDER_ASSETS") == "" {
		assets, err := filepath.Abs(filepath.Join("../../bin/k8s", string(version[1])))
		if err != nil {
			t.Fatal(err)
		}
		command.Env = append(os.Environ(), "KUBEBUILDER_ASSETS="+assets)
	}
	return command
}

// lines returns the lines of a profile without what they say of the run of init: how each
// field is known, and how a question goes on.
func lines(t *testing.T, file string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
		if line != "" && !strings.HasPrefix(line, "#  ") && line != "#" {
			all = append(all, line)
		}
	}
	return all
}

// address returns an address on which nothing listens.
func address(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr())
}
