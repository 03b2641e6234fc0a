package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// builtDir is the folder in which the build leaves the mutants.
const builtDir = "bin/_mutants"

// companions returns quick core requirements that also run against every mutant. They are
// about a child that is made, a change that reaches it, and drift that is corrected. They
// show that the mutant works otherwise, and what else notices it.
func companions() []string { return []string{"RC-001", "RC-005", "SH-004"} }

// candidate is a mutant that is ready to be run.
type candidate struct {
	mutant.Mutant
	// requirement that must catch it; empty if only an exploration finds it.
	requirement catalogue.Requirement
	profile     *profile.Profile
	// file of the profile, relative to the repository's root.
	file string
}

// newCandidate returns a mutant with the requirement that must catch it.
func newCandidate(m mutant.Mutant, requirements []catalogue.Requirement) (candidate, error) {
	c := candidate{Mutant: m}
	i := slices.IndexFunc(requirements, func(r catalogue.Requirement) bool { return r.ID == m.CaughtBy })
	if i < 0 && !m.ByExplore() {
		return c, fmt.Errorf("mutant %s: there is no requirement %s that could catch it", m.Name, m.CaughtBy)
	}
	if i >= 0 {
		c.requirement = requirements[i]
	}
	return c, nil
}

// readCandidates finds what was built for each mutant.
func readCandidates(root string, mutants []mutant.Mutant, requirements []catalogue.Requirement) ([]candidate, error) {
	var all []candidate
	var problems []error
	for _, m := range mutants {
		c, err := newCandidate(m, requirements)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		c.file = filepath.Join(builtDir, m.Name, "fixtures", "profiles", m.Base+".yaml")
		file := filepath.Join(root, c.file)
		if _, err := os.Stat(file); err != nil {
			problems = append(problems, fmt.Errorf("mutant %s is not built: there is no %s (make mutants-build)", m.Name, c.file))
			continue
		}
		if c.profile, err = profile.Load(file); err == nil {
			err = c.profile.CheckFiles()
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("mutant %s: %w", m.Name, err))
		}
		all = append(all, c)
	}
	return all, errors.Join(problems...)
}

// whole tells whether the mutant needs its own run.
func (c *candidate) whole() bool { return c.requirement.WholeRun }

// patience is roughly how much longer a failing scenario takes: the time limit of an
// assertion.
const patience = 45 * time.Second

// implementation returns the mutant with the scenarios that run against it. The one that
// must fail takes longest, so it is started early.
func (c *candidate) implementation(requirements []catalogue.Requirement) (*runner.Implementation, error) {
	var selected []catalogue.Requirement
	for _, r := range requirements {
		if r.ID == c.requirement.ID {
			r.Takes += patience
			// It judges by itself, because the companions are not there to explain it.
			r.ReliesOn, r.Judges = nil, invariant.Names()
			selected = append(selected, r)
		} else if slices.Contains(companions(), r.ID) {
			selected = append(selected, r)
		}
	}
	plan, err := runner.NewPlan(c.profile, selected)
	if err != nil {
		return nil, fmt.Errorf("planning for mutant %s: %w", c.Name, err)
	}
	return &runner.Implementation{Name: c.Name, Profile: c.profile, ProfileArgument: c.file, Plan: plan}, nil
}

// byHand returns the command that judges only this mutant.
func (c *candidate) byHand() string {
	command := "bin/reconform run --profile " + c.file
	if !c.whole() {
		command += " --run '^" + c.requirement.ID + "$'"
	}
	return command
}
