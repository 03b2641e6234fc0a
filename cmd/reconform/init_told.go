package main

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/paragraph"
)

const (
	// usualWidth is the width of the text if the output is not a terminal.
	usualWidth = 100
	// mostAsked is how many questions init repeats at its end. All of them are in the profile.
	mostAsked = 8
)

// findingsInWords returns what init says at its end: what looks like a mistake of the
// controller, what it asks and what it guessed, the most important first, and what to do
// next.
func findingsInWords(file string, found *infer.Findings, expected outlook, width int) string {
	if width == 0 || width > usualWidth {
		width = usualWidth
	}
	t := told{width: width}
	t.line("", "wrote %s: %d features seen or read", file, len(found.Spec.Claims.Features))
	if len(found.Doubts) > 0 {
		t.line("", "")
		t.line("", "A MISTAKE of the controller? The profile is written so that the requirements judge it:")
		for _, doubt := range found.Doubts {
			t.line("  ! ", "%s: %s", doubt.Path, doubt.Text)
		}
	}
	t.questions(found.Asked)
	t.guesses(found)
	t.outlook(file, expected)
	t.line("", "")
	if found.Spec.Launch.Serial {
		t.line("", "note: launch.serial: one scenario at a time runs, so a run takes several times as long; the line in the profile says why")
	}
	if found.Unreached != "" {
		t.line("", "note: it tried to reach %s, and nothing answers there, as Pods do not really run on the local control plane. A run comes to no conclusion "+
			"about what it does not do because of that: judge it on a cluster (docs/clusters.md), or switch these requests off", found.Unreached)
	}
	t.line("", "each stands in %s, at its field; a line below that begins with # and no space may be the answer", file)
	// The binaries of another version may not be there.
	version := ""
	if expected.kubernetes != "" {
		version = " --kubernetes " + expected.kubernetes
	}
	t.line("", "next: reconform run%s --profile %s", version, sanitize.Word(file))
	return strings.Join(t.lines, "\n") + "\n"
}

// told has the lines of a text.
type told struct {
	width int
	lines []string
}

func (t *told) line(first, format string, args ...any) {
	text := sanitize.Text(fmt.Sprintf(format, args...))
	t.lines = append(t.lines, paragraph.Wrap(text, t.width, first, strings.Repeat(" ", len(first)))...)
}

// questions repeats the most important questions.
func (t *told) questions(asked map[string][]infer.Question) {
	var paths []string
	count := 0
	for path, questions := range asked {
		paths = append(paths, path)
		count += len(questions)
	}
	if count == 0 {
		return
	}
	slices.SortFunc(paths, func(a, b string) int {
		if by := importance(a) - importance(b); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	t.line("", "")
	t.line("", "it asks, the most important first:")
	shown := 0
	for _, path := range paths {
		for _, question := range asked[path] {
			if shown++; shown <= mostAsked {
				t.line("  ? ", "%s: %s", path, gist(question.Text))
			}
		}
	}
	if count > mostAsked {
		t.line("  ? ", "and %d more", count-mostAsked)
	}
}

// guesses repeats what is a guess, unless a doubt has said it. The reader of the
// profile must check these.
func (t *told) guesses(found *infer.Findings) {
	var lines []string
	for path, note := range found.Notes {
		doubted := slices.ContainsFunc(found.Doubts, func(d infer.Doubt) bool { return d.Path == path })
		if note.Basis == infer.Guessed && !doubted {
			lines = append(lines, path+": "+gist(note.Text))
		}
	}
	if len(lines) == 0 {
		return
	}
	slices.Sort(lines)
	t.line("", "")
	t.line("", "it guessed:")
	for _, line := range lines {
		t.line("  - ", "%s", line)
	}
}

// importance orders questions: first what keeps scenarios from running at all, then what
// makes a verdict wrong, and last what only leaves requirements out.
func importance(path string) int {
	order := []string{
		"contract", "contract.base", "contract.spec.image", "contract.spec.replicas", "serves", "serves.edits", "install", "install.clusterWrites",
		"claims.exempt", "contract.status.phase", "claims.times.retry", "claims.times.resync", "claims.clientQPS", "launch.serial", "launch.leaderElection",
		"launch.leaderElection.disabled", "launch.ready", "launch.endpoints", "claims.reporting", "contract.spec.port", "contract.children.service",
		"claims.metrics", "claims.events",
	}
	if n := slices.Index(order, path); n >= 0 {
		return n
	}
	if strings.HasPrefix(path, "contract.status.") {
		return len(order)
	}
	if path == "claims.features" {
		return len(order) + 2
	}
	return len(order) + 1
}

// gist returns the first sentence of a text.
func gist(text string) string {
	const few = 40 // "e.g." ends no sentence
	for _, end := range []string{"? ", ". "} {
		if n := strings.Index(text, end); n >= few {
			text = text[:n+1]
		}
	}
	return strings.TrimSuffix(text, ".")
}
