package explore

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

const (
	// mostShown is how many causes, cases and requests a summary shows.
	mostShown    = 20
	casesShown   = 3
	requestShown = 8
	namesShown   = 5
)

// Summary says in words what was found.
func Summary(r *v1alpha1.ExploreReport) string {
	var b strings.Builder
	for i, c := range r.Causes[:min(len(r.Causes), mostShown)] {
		writeCause(&b, i+1, c)
	}
	if more := len(r.Causes) - mostShown; more > 0 {
		fmt.Fprintf(&b, "\nThe report has %s.\n", report.Counted(more, "more cause"))
	}
	b.WriteString("\n")
	for _, note := range report.ExploredNotes(r) {
		fmt.Fprintf(&b, "%s.\n", note)
	}
	fmt.Fprintf(&b, "%s: %s\n", r.Implementation.Name, report.ExploredWords(r))
	return b.String()
}

// Brief is a summary without the cases: for those who want to see the result only.
func Brief(r *v1alpha1.ExploreReport) string {
	var b strings.Builder
	for _, c := range r.Causes {
		fmt.Fprintf(&b, "%s: %s\n", c.ID, c.About)
	}
	fmt.Fprintf(&b, "%s: %s\n", r.Implementation.Name, report.ExploredWords(r))
	return b.String()
}

// writeCause writes a cause with its first case in full.
func writeCause(b *strings.Builder, number int, c v1alpha1.ExploredCause) {
	first := c.Cases[0]
	fmt.Fprintf(b, "\n%d. %s (%s)\n", number, c.About, c.ID)
	fmt.Fprintf(b, "   %s (came in %d of %d tries)\n", first.Plan, first.Came, first.Tries)
	for _, d := range first.Divergences[:min(len(first.Divergences), namesShown)] {
		fmt.Fprintf(b, "     %s\n", d.InWords())
	}
	if more := len(first.Divergences) - namesShown; more > 0 {
		fmt.Fprintf(b, "     and %d more\n", more)
	}
	if len(first.Requests) > 0 {
		b.WriteString("   what it wrote:\n")
	}
	for _, request := range first.Requests[:min(len(first.Requests), requestShown)] {
		fmt.Fprintf(b, "     %s\n", request)
	}
	if more := len(first.Requests) - requestShown; more > 0 {
		fmt.Fprintf(b, "     and %d more\n", more)
	}
	for _, other := range c.Cases[1:min(len(c.Cases), casesShown)] {
		fmt.Fprintf(b, "   also: %s\n", other.Plan)
	}
	if more := len(c.Cases) - casesShown; more > 0 {
		fmt.Fprintf(b, "   and in %s more\n", report.Counted(more, "plan"))
	}
	if text := report.MinimisedWords(c.Minimised); text != "" {
		fmt.Fprintf(b, "   %s\n", text)
	}
	if c.Reproduce != "" {
		fmt.Fprintf(b, "   again: %s\n", c.Reproduce)
	}
}
