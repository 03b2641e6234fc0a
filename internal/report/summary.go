package report

import (
	"fmt"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// Summary returns the report as Markdown, for a pull request: first the verdict, then what
// failed and why, then the counts by area. It is not longer than GitHub accepts. If it
// would be longer, it says less about each failure.
func Summary(report *v1alpha1.ConformanceReport) string {
	if text := summary(report, inFull); len(text) <= mostSummary {
		return text
	}
	return bounded(summary(report, inBrief), mostSummary)
}

func summary(report *v1alpha1.ConformanceReport, much detail) string {
	var b strings.Builder
	name := report.Implementation.Name
	if report.Implementation.Version != "" {
		name += " " + report.Implementation.Version
	}
	gaps := CoreGaps(report)
	fmt.Fprintf(&b, "## %s %s is %s\n\n", symbolOfRun(report.Verdict), cell(name), cell(Verdict(report, gaps)))
	s := report.Summary
	if headline := verdict.Headline(report.Classes); headline != "" {
		fmt.Fprintf(&b, "**%s**\n\n", headline)
	}
	fmt.Fprintf(&b, "%s, in %s (control plane %s, scenarios %s).\n\n",
		Counts(s), Round(report.Durations.Total.Duration),
		Round(report.Durations.ControlPlane.Duration), Pace(report))
	fmt.Fprintf(&b, "%s.\n\n", Core(report))
	if report.Verdict == v1alpha1.Partial {
		writeGaps(&b, gaps)
	}
	if what, command := Rest(report); command != "" {
		fmt.Fprintf(&b, "%s:\n\n%s\n\n", paragraph.Capitalized(what), fence(command))
	}
	much.writeRemarks(&b, report)
	writeNotStarted(&b, report.NotStarted)
	much.writeDetails(&b, "known failures", cells(Known(report)))
	much.writeAccused(&b, report.Results)
	much.writeListed(&b, "blocked by what failed", v1alpha1.Blocked, report)
	writeClasses(&b, report.Classes)
	writeAreas(&b, report)
	much.writeDetails(&b, "merged from", cells(Parts(report)))
	much.writeDetails(&b, "seen, and not claimed by the profile", cells(Unclaimed(report)))
	much.writeDetails(&b, "times, as declared and as measured", cells(measured(report)))
	much.writeSecondLooks(&b, report.Results)
	much.writeAdvice(&b, report.Results)
	much.writeListed(&b, "not exercised", v1alpha1.NotExercised, report)
	if report.CutShort != nil {
		much.writeDetails(&b, "not judged, as "+cell(report.CutShort.Reason), report.CutShort.NotJudged)
	}
	much.writeListed(&b, "skipped", v1alpha1.Skipped, report)
	v := report.Versions
	fmt.Fprintf(&b, "<sub>Reconform %s, Kubernetes %s, Chainsaw %s, %s, profile %s</sub>\n",
		v.Reconform, v.Kubernetes, v.Chainsaw, v.Platform, cell(report.Profile))
	return b.String()
}

// writeRemarks writes what else must be known about a run, as quotes.
func (much detail) writeRemarks(b *strings.Builder, report *v1alpha1.ConformanceReport) {
	if scale := report.TimeoutScale; scale != 0 {
		fmt.Fprintf(b, "> Every time limit was multiplied by %g.\n\n", scale)
	}
	for _, missing := range report.Isolation {
		fmt.Fprintf(b, "> Not isolated on this machine: %s\n\n", cell(missing))
	}
	for _, unserved := range Unserved(report) {
		fmt.Fprintf(b, "> %s\n\n", cell(much.text(unserved)))
	}
	for _, expired := range Expired(report) {
		fmt.Fprintf(b, "> %s\n\n", cell(much.text(expired)))
	}
	for _, unused := range Unused(report) {
		fmt.Fprintf(b, "> %s\n\n", cell(much.text(unused)))
	}
	if cut := Cut(report); cut != "" {
		fmt.Fprintf(b, "> %s\n\n", cell(paragraph.Capitalized(cut)))
	}
	if waiting := Waiting(report); waiting != "" {
		fmt.Fprintf(b, "> %s\n\n", cell(waiting))
	}
}

// Counts returns the numbers of results in words. It leaves out rare verdicts that no
// result has.
func Counts(s v1alpha1.Summary) string {
	text := fmt.Sprintf("%d passed, %d failed, %d inconclusive, %d skipped", s.Passed, s.Failed, s.Inconclusive, s.Skipped)
	for _, rare := range []struct {
		count int
		word  string
	}{{s.Blocked, "blocked"}, {s.Flaky, "flaky"}, {s.NotExercised, "not exercised"}, {s.NotJudged, "not judged"}} {
		if rare.count > 0 {
			text += fmt.Sprintf(", %d %s", rare.count, rare.word)
		}
	}
	return text
}

func writeNotStarted(b *strings.Builder, not *v1alpha1.NotStarted) {
	if not == nil {
		return
	}
	fmt.Fprintf(b, "%s\n\n", cell(not.Reason))
	if len(not.Log) > 0 {
		fmt.Fprintf(b, "%s\n\n", fence(strings.Join(not.Log, "\n")))
	}
}

// CoreGaps returns what of the core was not judged. It returns nothing if the requirements cannot
// be read: the report has the numbers anyway.
func CoreGaps(report *v1alpha1.ConformanceReport) []Gap {
	all, err := catalogue.Embedded()
	if err != nil {
		return nil
	}
	return Gaps(report, all)
}

// writeGaps names what of the core was not judged, and why.
func writeGaps(b *strings.Builder, gaps []Gap) {
	for _, gap := range gaps {
		fmt.Fprintf(b, "- %s\n", cell(gap.InWords()))
	}
	if len(gaps) > 0 {
		fmt.Fprintf(b, "- %s\n", cell(Explaining))
	}
	b.WriteString("\n")
}

// writeClasses writes how far each conformance class is met.
func writeClasses(b *strings.Builder, classes []v1alpha1.ClassResult) {
	if len(classes) == 0 {
		return
	}
	b.WriteString("| class | verdict | required, passed | optional, passed |\n|---|---|---|---|\n")
	for _, c := range classes {
		fmt.Fprintf(b, "| %s | %s | %d of %d | %d of %d |\n", c.Name, verdict.Words(c.Verdict),
			c.Required.Passed, c.Required.Total, c.Optional.Passed, c.Optional.Total)
	}
	b.WriteString("\n")
}

func writeAreas(b *strings.Builder, report *v1alpha1.ConformanceReport) {
	b.WriteString("| area | passed | failed | inconclusive | skipped | others |\n|---|---|---|---|---|---|\n")
	var areas []string
	byArea := map[string]*v1alpha1.Summary{}
	for _, r := range report.Results {
		s := byArea[r.Area]
		if s == nil {
			s = &v1alpha1.Summary{}
			byArea[r.Area] = s
			areas = append(areas, r.Area)
		}
		if r.Verdict == v1alpha1.Skipped && notReached(report, r.ID) {
			s.NotJudged++
			continue
		}
		verdict.Count(s, r.Verdict)
	}
	for _, area := range areas {
		s := byArea[area]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d |\n", area, s.Passed, s.Failed, s.Inconclusive, s.Skipped, s.Blocked+s.Flaky+s.NotExercised+s.NotJudged)
	}
	b.WriteString("\n")
}

// Pace says how long the scenarios took, and which of those that ran at the same time took
// longest. Those that ran afterwards are given separately.
func Pace(report *v1alpha1.ConformanceReport) string {
	d := report.Durations
	pace := Round(d.Scenarios.Duration - d.Slow.Duration - d.Again.Duration).String()
	for _, r := range report.Results {
		if r.Duration == d.LongestScenario && r.Duration.Duration > 0 {
			pace += fmt.Sprintf(" (the longest, %s, took %s)", r.ID, Round(r.Duration.Duration))
			break
		}
	}
	if d.Slow.Duration > 0 {
		pace += fmt.Sprintf(", those that run alone %s", Round(d.Slow.Duration))
	}
	if d.Again.Duration > 0 {
		pace += fmt.Sprintf(", and second looks %s", Round(d.Again.Duration))
	}
	return pace
}

// Core says how many of the core requirements were judged.
func Core(report *v1alpha1.ConformanceReport) string {
	return fmt.Sprintf("%d of %d core requirements judged", report.Core.Judged, report.Core.Total)
}

// numbers returns the numbers of requests, as in messages.
func numbers(requests []int64) string {
	var list []string
	for _, seq := range requests {
		list = append(list, fmt.Sprintf("#%d", seq))
	}
	return strings.Join(list, ", ")
}

// Round rounds a duration to tenths of a second, to make it readable.
func Round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

func symbol(v v1alpha1.ResultVerdict) string {
	switch v {
	case v1alpha1.Passed:
		return "✅"
	case v1alpha1.Failed, v1alpha1.Flaky:
		return "❌"
	case v1alpha1.ResultInconclusive:
		return "❔"
	default:
		return "➖"
	}
}

func symbolOfRun(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.Conformant:
		return "✅"
	case v1alpha1.Partial:
		return "🟡"
	case v1alpha1.NotConformant:
		return "❌"
	default:
		return "❔"
	}
}

// cell makes a text safe within a line of Markdown: what a subject wrote must not become
// markup.
func cell(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "|", `\|`, "[", `\[`, `\`, `\\`, "`", "\\`").Replace(text)
}

func cells(texts []string) []string {
	var safe []string
	for _, text := range texts {
		safe = append(safe, cell(text))
	}
	return safe
}

// fence puts text into a code block that the text itself cannot close.
func fence(text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks
}
