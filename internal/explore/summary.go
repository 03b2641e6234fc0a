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
		fmt.Fprintf(&b, "\n%d more causes are in the report.\n", more)
	}
	b.WriteString("\n")
	if n := len(r.Unconfirmed); n > 0 {
		fmt.Fprintf(&b, "%s came once only, and accuse nobody; they are in the report.\n", counted(n, "divergence"))
	}
	if n := r.Plans.Unreached; n > 0 {
		fmt.Fprintf(&b, "%s never got to the point; the report says why.\n", counted(n, "plan"))
	}
	if n := r.Plans.Failed; n > 0 {
		fmt.Fprintf(&b, "%s could not be carried out; the report says why.\n", counted(n, "plan"))
	}
	if r.Cut != "" {
		fmt.Fprintf(&b, "not everything was explored: %s.\n", r.Cut)
	}
	text := "no divergence"
	switch r.Verdict {
	case v1alpha1.Diverges:
		text = counted(len(r.Causes), "cause") + " of " + counted(r.Plans.Diverging, "divergence")
	case v1alpha1.ExploredInconclusive:
		text = r.Reason
	}
	fmt.Fprintf(&b, "%s: %s: %s in %d of %d plans, in %s", r.Implementation.Name, r.Verdict, text, r.Plans.Done, r.Plans.Planned, report.Round(r.Took.Duration))
	if r.Plans.SecondsPerPlan != "" {
		fmt.Fprintf(&b, " (%s s for a plan)", r.Plans.SecondsPerPlan)
	}
	return b.String() + "\n"
}

// writeCause writes a cause with its first case in full.
func writeCause(b *strings.Builder, number int, c v1alpha1.ExploredCause) {
	first := c.Cases[0]
	fmt.Fprintf(b, "\n%d. %s\n", number, c.About)
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
		fmt.Fprintf(b, "   and in %s more\n", counted(more, "plan"))
	}
	if c.Scenario != "" {
		fmt.Fprintf(b, "   again: reconform run --profile PROFILE --scenarios REPORT-DIR/%s %s\n", ScenarioDir, fmt.Sprintf("LT-%03d", firstNumber+number))
	}
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
