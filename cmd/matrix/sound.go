package main

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	verdicts "reconform.dev/reconform/internal/verdict"
)

// soundNames returns the profiles of the controllers that must not be accused.
func soundNames() []string {
	return []string{
		"reference", "clientgo", "apipark", "apipark-informers", "myapplication", "myresource", "backup",
		"apply-always", "create-or-update", "kubebuilder", "one-second-retries", "one-per-namespace", "chosen",
		"polling", "renamed", "finalizer", "by-labels", "companions", "split", "plain", "stateful", node,
		"backup-any", "teams", // without a contract
	}
}

// node is the profile that needs Node.js.
const node = "node"

// sound is a controller that must not be accused.
type sound struct {
	name    string
	profile *profile.Profile
	// missing says why it cannot be run. excused is true if that is not a failure.
	missing error
	excused bool

	summary v1alpha1.Summary
	// accusations are the results that failed or came to no conclusion.
	accusations []v1alpha1.Result
	dir         string
}

// readSound finds the selected sound controllers.
func readSound(root string, selects func(name string) bool) []*sound {
	var all []*sound
	for _, name := range soundNames() {
		if !selects(name) {
			continue
		}
		s := &sound{name: name}
		all = append(all, s)
		if name == node {
			if _, err := exec.LookPath("node"); err != nil {
				s.missing, s.excused = fmt.Errorf("there is no Node.js on this machine: %w", err), true
				continue
			}
		}
		s.profile, s.missing = profile.Load(filepath.Join(root, "fixtures", "profiles", name+".yaml"))
		if s.missing == nil {
			s.missing = s.profile.CheckFiles()
		}
	}
	return all
}

// take stores what a run of the controller found.
func (s *sound) take(report *v1alpha1.ConformanceReport) {
	s.summary = report.Summary
	s.accusations = verdicts.NotPassed(report.Results)
}
