package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// Limits of what a summary shows.
const (
	causesShown      = 30
	casesShown       = 5
	divergencesShown = 8
	requestsShown    = 12
)

// exploredSummary returns the report of an exploration as Markdown, for a pull request.
func exploredSummary(r *v1alpha1.ExploreReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s %s: %s\n\n", symbolOfExplored(r), cell(r.Implementation.Name), cell(ExploredWords(r)))
	for _, note := range ExploredNotes(r) {
		fmt.Fprintf(&b, "> %s\n\n", cell(note))
	}
	for n, c := range r.Causes[:min(len(r.Causes), causesShown)] {
		writeCause(&b, n+1, c, baseline.OfCause(c, r.Known))
	}
	if more := len(r.Causes) - causesShown; more > 0 {
		fmt.Fprintf(&b, "%s in %s.\n\n", Counted(more, "more cause"), ExploredFile)
	}
	if len(r.Unconfirmed) > 0 {
		fmt.Fprintf(&b, "<details><summary>%s: they came once only, and accuse nobody</summary>\n\n", Counted(len(r.Unconfirmed), "unconfirmed divergence"))
		for _, f := range r.Unconfirmed[:min(len(r.Unconfirmed), causesShown)] {
			fmt.Fprintf(&b, "- %s (in %d of %d tries)\n", cell(f.Plan), f.Came, f.Tries)
		}
		b.WriteString("\n</details>\n\n")
	}
	writeExploredOperations(&b, r)
	fmt.Fprintf(&b, "<sub>Reconform %s, Kubernetes %s, profile %s, seed %d</sub>\n", cell(r.Version), cell(r.Kubernetes), cell(r.Profile), r.Seed)
	return b.String()
}

// VerdictOfExplored returns the verdict of an exploration, by its causes, and by the reason why
// nothing can be concluded without a cause.
func VerdictOfExplored(r *v1alpha1.ExploreReport) v1alpha1.ExploreVerdict {
	switch {
	case len(r.Causes) > 0:
		return v1alpha1.Diverges
	case r.Reason != "":
		return v1alpha1.ExploredInconclusive
	}
	return v1alpha1.Converges
}

// ExploredWords says the result of an exploration in one line.
func ExploredWords(r *v1alpha1.ExploreReport) string {
	text := "no divergence"
	switch r.Verdict {
	case v1alpha1.Diverges:
		text = Counted(len(r.Causes), "cause") + " of " + Counted(r.Plans.Diverging, "divergence")
		if known := len(r.Causes) - len(baseline.NewCauses(r)); known > 0 {
			text += fmt.Sprintf(", %d known", known)
		}
	case v1alpha1.ExploredInconclusive:
		text = r.Reason
	}
	if r.Plans.Planned > 0 || r.Verdict != v1alpha1.ExploredInconclusive {
		text += fmt.Sprintf(" in %d of %s", r.Plans.Done, Counted(r.Plans.Planned, "plan"))
	}
	soFar := ""
	if r.Verdict == v1alpha1.Converges && r.Cut != "" {
		soFar = " so far"
	}
	text = fmt.Sprintf("%s%s: %s, in %s", r.Verdict, soFar, text, Round(r.Took.Duration))
	if r.Plans.SecondsPerPlan != "" {
		text += fmt.Sprintf(" (%s s for a plan)", r.Plans.SecondsPerPlan)
	}
	return text
}

// ExploredNotes says what limits the result of an exploration, and what is known of it.
func ExploredNotes(r *v1alpha1.ExploreReport) []string {
	var notes []string
	if r.Shard != nil {
		notes = append(notes, fmt.Sprintf("this is shard %s: %d of all %s; reconform merge puts the shards together", r.Shard, r.Plans.Planned, Counted(r.Plans.All, "plan")))
	}
	if r.Cut != "" {
		notes = append(notes, cutInWords(r))
	}
	if r.Verdict == v1alpha1.Diverges && r.Reason != "" {
		notes = append(notes, "nothing can be concluded from the plans that did not diverge: "+r.Reason)
	}
	if idle := idleOperations(r); len(idle) > 0 {
		notes = append(notes, "the controller writes nothing after "+strings.Join(idle, ", ")+": there no write could be disturbed")
	}
	if len(r.Left) > 0 {
		notes = append(notes, "left out: "+leftInWords(r.Left))
	}
	if n := len(r.Unconfirmed); n > 0 {
		notes = append(notes, fmt.Sprintf("divergences that came once only, and accuse nobody: %d; the report has them", n))
	}
	if n := r.Plans.Unreached; n > 0 {
		notes = append(notes, Counted(n, "plan")+" never got to the point; the report says why")
	}
	if n := r.Plans.Failed; n > 0 {
		notes = append(notes, Counted(n, "plan")+" could not be carried out; the report says why")
	}
	if u := r.Unanswered; u != nil {
		notes = append(notes, unansweredInWords(u))
	}
	for _, k := range r.Known {
		notes = append(notes, knownInWords(k))
	}
	return notes
}

// idleOperations are those after which the controller writes nothing.
func idleOperations(r *v1alpha1.ExploreReport) []string {
	var idle []string
	for _, o := range r.Operations {
		if len(o.Writes) == 0 {
			idle = append(idle, o.Name)
		}
	}
	return idle
}

// mostLeft is how many things are named that were left out.
const mostLeft = 3

// leftInWords says what was left out, and why.
func leftInWords(left []string) string {
	text := strings.Join(left[:min(len(left), mostLeft)], "; ")
	if more := len(left) - mostLeft; more > 0 {
		text += fmt.Sprintf("; and %d more, which the report has", more)
	}
	return text
}

// cutInWords says why an exploration ended early, and what was not done. After the last plan
// it only looks for smaller plans. A merged report does not know whether that was done.
func cutInWords(r *v1alpha1.ExploreReport) string {
	left := notCarriedOut(r.Plans)
	if left == 0 && r.Plans.Planned > 0 && len(r.Parts) == 0 {
		return "all plans were carried out, and the search for smaller plans was not finished: " + r.Cut + "; --resume goes on with it"
	}
	return "not everything was explored: " + r.Cut + remaining(r.Plans)
}

// notCarriedOut is how many plans are left.
func notCarriedOut(p v1alpha1.ExplorePlans) int { return p.Planned - p.Done - p.Unreached - p.Failed }

// remaining says how long the plans that were not carried out would take, or "" if there are
// none, or if that is not known.
func remaining(p v1alpha1.ExplorePlans) string {
	left := notCarriedOut(p)
	seconds, err := strconv.ParseFloat(p.SecondsPerPlan, 64)
	if left <= 0 || err != nil || seconds <= 0 {
		return ""
	}
	minutes := max(1, int(math.Round(float64(left)*seconds/60)))
	return fmt.Sprintf("; %s would take about %s, and --resume goes on with them", Counted(left, "more plan"), Counted(minutes, "minute"))
}

// unansweredInWords says what a controller did while a write was left without an answer.
func unansweredInWords(u *v1alpha1.ExploredUnanswered) string {
	text := fmt.Sprintf("in %s a write got no answer, for up to %s: ", Counted(u.Plans, "plan"), Round(u.Longest.Duration))
	waited := u.Plans - u.GaveUp
	switch {
	case waited == 0:
		return text + "the controller gave up waiting each time"
	case u.GaveUp == 0:
		text += "the controller waited until the connection was cut"
	default:
		text += fmt.Sprintf("in %d the controller gave up waiting, in %d it waited until the connection was cut", u.GaveUp, waited)
	}
	if u.Silent > 0 {
		text += fmt.Sprintf("; in %d it sent nothing else meanwhile. That is not a divergence, but a time limit for its requests would end the wait", u.Silent)
	}
	return text
}

// writeCause writes a cause with its first case in full.
func writeCause(b *strings.Builder, number int, c v1alpha1.ExploredCause, known *v1alpha1.KnownResult) {
	first := c.Cases[0]
	title := c.ID
	if known != nil {
		title += ", known"
	}
	fmt.Fprintf(b, "### %d. %s\n\n%s\n\n", number, title, cell(c.About))
	fmt.Fprintf(b, "- plan: %s (came in %d of %d tries)\n", cell(first.Plan), first.Came, first.Tries)
	for _, d := range first.Divergences[:min(len(first.Divergences), divergencesShown)] {
		fmt.Fprintf(b, "- %s\n", cell(d.InWords()))
	}
	if more := len(first.Divergences) - divergencesShown; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
	if text := MinimisedWords(c.Minimised); text != "" {
		fmt.Fprintf(b, "- %s\n", cell(text))
	}
	if len(first.Requests) > 0 {
		fmt.Fprintf(b, "\nthe requests around it, in %s:\n\n%s\n", cell(first.Namespace), fence(sanitize.CutList(first.Requests, requestsShown, "\n")))
	}
	if c.Reproduce != "" {
		fmt.Fprintf(b, "\nagain:\n\n%s\n", fence(c.Reproduce))
	}
	if len(c.Cases) > 1 {
		fmt.Fprintf(b, "\n<details><summary>the same in %s</summary>\n\n", Counted(len(c.Cases)-1, "other plan"))
		for _, other := range c.Cases[1:min(len(c.Cases), 1+casesShown)] {
			fmt.Fprintf(b, "- %s\n", cell(other.Plan))
		}
		if more := len(c.Cases) - 1 - casesShown; more > 0 {
			fmt.Fprintf(b, "- and %d more\n", more)
		}
		b.WriteString("\n</details>\n")
	}
	b.WriteString("\n")
}

// MinimisedWords says whether the plan could be made smaller.
func MinimisedWords(m *v1alpha1.Minimised) string {
	if m == nil {
		return ""
	}
	text := "all of it is needed"
	if len(m.LeftOut) > 0 {
		text = "not needed: " + strings.Join(m.LeftOut, "; ")
	}
	text += fmt.Sprintf(" (%s, from: %s)", Counted(m.Trials, "trial"), m.From)
	if m.Cut != "" {
		text += "; not all was tried: " + m.Cut
	}
	return text
}

func writeExploredOperations(b *strings.Builder, r *v1alpha1.ExploreReport) {
	if len(r.Operations) == 0 {
		return
	}
	b.WriteString("| operation | plans | writes of the controller |\n|---|---|---|\n")
	for _, o := range r.Operations {
		fmt.Fprintf(b, "| %s | %d | %d |\n", cell(o.Name), o.Plans, len(o.Writes))
	}
	b.WriteString("\n")
}

func symbolOfExplored(r *v1alpha1.ExploreReport) string {
	switch verdict := baseline.Explored(r); {
	case verdict == v1alpha1.Converges && r.Cut != "":
		return "🟡" // as partial: what was not explored may diverge
	case verdict == v1alpha1.Converges:
		return "✅"
	case verdict == v1alpha1.Diverges:
		return "❌"
	default:
		return "❔"
	}
}

// Counted returns a number with a noun.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
