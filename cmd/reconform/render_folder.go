package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/render"
)

// settingsFile has Chainsaw's settings. Chainsaw reads it in the folder that it is started
// in.
const settingsFile = ".chainsaw.yaml"

// renderedTests are the tests in a folder, and what is written beside them.
type renderedTests struct {
	profile  *profile.Profile
	argument string // how the profile was named
	tests    []runner.Planned
	skipped  []string // IDs, each with the reason
}

func (r *renderedTests) skip(id, reason string) {
	r.skipped = append(r.skipped, id+": "+reason)
}

// stock returns the tests as the stock Chainsaw runs them. Verdicts come within a few of
// the longest pauses that the profile declares.
func (r *renderedTests) stock() []*render.Rendered {
	const (
		usual  = 5 * time.Minute
		pauses = 4
	)
	times := r.profile.Spec.Claims.Times
	longest := times.LongestRetryPause.Duration
	if times.Retry != nil {
		longest = times.Retry.Longest.Duration
	}
	var tests []*render.Rendered
	for _, planned := range r.tests {
		tests = append(tests, planned.Test.ForStock(usual+pauses*longest))
	}
	return tests
}

// settings returns Chainsaw's settings, with the time limits of a run. Tests that change
// what all share, or need nodes, are left out: they are run by their names.
func (r *renderedTests) settings() []byte {
	var b strings.Builder
	b.WriteString("# Written by reconform render: the time limits of reconform run.\n" +
		"apiVersion: chainsaw.kyverno.io/v1alpha2\nkind: Configuration\nmetadata: {name: reconform}\nspec:\n")
	if apart := r.apart(); len(apart) > 0 {
		fmt.Fprintf(&b, "  discovery:\n    # These change what all tests share, or need nodes.\n    excludeTestRegex: ^chainsaw$/^(%s)$\n", strings.Join(apart, "|"))
	}
	b.WriteString("  timeouts:\n")
	limits := render.Timeouts()
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		fmt.Fprintf(&b, "    %s: %s\n", name, limits[name])
	}
	b.WriteString("  execution: {parallel: 8}\n  namespace: {fastDelete: true}\n")
	return []byte(b.String())
}

// apart returns the names of tests that cannot run beside the others.
func (r *renderedTests) apart() []string {
	var names []string
	for _, planned := range r.tests {
		if planned.Requirement.Serial || planned.Requirement.Nodes {
			names = append(names, planned.Requirement.Name)
		}
	}
	return names
}

// readme says how the tests are run, and what each is about.
func (r *renderedTests) readme() []byte {
	var b strings.Builder
	name := r.profile.Spec.Implementation.Name
	fmt.Fprintf(&b, "# What %s must do, as Chainsaw tests\n\n", name)
	b.WriteString("Written by `reconform render`, which replaces this folder. Each test is plain [Chainsaw](https://kyverno.github.io/chainsaw),\n" +
		"and needs the bench: it serves the objects of `reconform.dev` that start the controller, make faults and measure.\n\n")
	example := ""
	if len(r.tests) > 0 {
		example = r.tests[0].Test.Folder()
	}
	fmt.Fprintf(&b, "```sh\nreconform up --profile %s       # in another terminal: it says how to set KUBECONFIG and PATH\n"+
		"chainsaw test %s    # one; in this folder, for the time limits in %s\nchainsaw test .    # all\n```\n\n", sanitize.Word(r.argument), example, settingsFile)
	fmt.Fprintf(&b, "`reconform run --profile %s` does the same, and more: it ends an assertion as soon as the verdict of an object is final, while\n"+
		"the stock Chainsaw waits for its time limit; it checks in every test what must never happen; it tells a failure from a test that could\n"+
		"not be carried out, and looks twice if the machine was busy.\n\n", sanitize.Word(r.argument))
	if apart := r.apart(); len(apart) > 0 {
		fmt.Fprintf(&b, "`chainsaw test .` leaves these out, because they change what all tests share, or need nodes: %s.\n\n", strings.ToUpper(strings.Join(apart, ", ")))
	}
	b.WriteString("| ID | MUST |\n|---|---|\n")
	for _, planned := range r.tests {
		fmt.Fprintf(&b, "| [%s](%s/) | %s |\n", planned.Requirement.ID, planned.Test.Folder(), strings.ReplaceAll(planned.Requirement.Must, "|", "\\|"))
	}
	if len(r.skipped) > 0 {
		b.WriteString("\n## Not here\n\n")
		for _, skipped := range r.skipped {
			fmt.Fprintf(&b, "- %s\n", skipped)
		}
	}
	return []byte(b.String())
}
