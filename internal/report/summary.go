package report

import (
	"fmt"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict"
)

// Summary is the report as Markdown, for a pull request: the verdict first,
// then what failed and why, then the counts by area.
func Summary(report *v1alpha1.ConformanceReport) string {
	var b strings.Builder
	name := report.Implementation.Name
	if report.Implementation.Version != "" {
		name += " " + report.Implementation.Version
	}
	fmt.Fprintf(&b, "## %s %s: %s\n\n", symbolOfRun(report.Verdict), cell(name), report.Verdict)
	s := report.Summary
	fmt.Fprintf(&b, "%d passed, %d failed, %d inconclusive, %d skipped, in %s (control plane %s, scenarios %s).\n\n",
		s.Passed, s.Failed, s.Inconclusive, s.Skipped, Round(report.Durations.Total.Duration),
		Round(report.Durations.ControlPlane.Duration), Pace(report))
	fmt.Fprintf(&b, "%s.\n\n", Core(report))
	if scale := report.TimeoutScale; scale != 0 {
		fmt.Fprintf(&b, "> Every time limit was multiplied by %g.\n\n", scale)
	}
	for _, missing := range report.Isolation {
		fmt.Fprintf(&b, "> Not isolated on this machine: %s\n\n", cell(missing))
	}
	writeAccused(&b, report.Results)
	writeAreas(&b, report.Results)
	writeSecondLooks(&b, report.Results)
	writeAdvice(&b, report.Results)
	writeSkipped(&b, report.Results)
	v := report.Versions
	fmt.Fprintf(&b, "<sub>Reconform %s, Kubernetes %s, Chainsaw %s, %s, profile %s</sub>\n",
		v.Reconform, v.Kubernetes, v.Chainsaw, v.Platform, cell(report.Profile))
	return b.String()
}

func writeAccused(b *strings.Builder, results []v1alpha1.Result) {
	for _, r := range results {
		if r.Verdict != v1alpha1.Failed && r.Verdict != v1alpha1.ResultInconclusive {
			continue
		}
		fmt.Fprintf(b, "### %s %s: %s\n\n%s\n\n", symbol(r.Verdict), r.ID, strings.ToLower(string(r.Verdict)), cell(r.Must))
		fmt.Fprintf(b, "%s\n\n", fence(r.Reason))
		if e := r.Evidence; e != nil {
			if e.Catches != "" {
				fmt.Fprintf(b, "- catches: %s\n", cell(e.Catches))
			}
			if e.Hint != "" {
				fmt.Fprintf(b, "- hint: %s\n", cell(e.Hint))
			}
			if e.Reproduce != "" {
				fmt.Fprintf(b, "- reproduce: `%s`\n", e.Reproduce)
			}
			for _, violation := range e.Violations {
				fmt.Fprintf(b, "- %s, in requests %s of history.jsonl\n", cell(violation.Rule), numbers(violation.Requests))
			}
			b.WriteString("\n")
			if e.Difference != "" {
				fmt.Fprintf(b, "<details><summary>expected and observed</summary>\n\n%s\n\n</details>\n\n", fence(e.Difference))
			}
		}
	}
}

func writeAreas(b *strings.Builder, results []v1alpha1.Result) {
	b.WriteString("| area | passed | failed | inconclusive | skipped |\n|---|---|---|---|---|\n")
	var areas []string
	byArea := map[string]*v1alpha1.Summary{}
	for _, r := range results {
		s := byArea[r.Area]
		if s == nil {
			s = &v1alpha1.Summary{}
			byArea[r.Area] = s
			areas = append(areas, r.Area)
		}
		verdict.Count(s, r.Verdict)
	}
	for _, area := range areas {
		s := byArea[area]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", area, s.Passed, s.Failed, s.Inconclusive, s.Skipped)
	}
	b.WriteString("\n")
}

// writeSecondLooks lists first results that did not count, as the machine was busy.
func writeSecondLooks(b *strings.Builder, results []v1alpha1.Result) {
	var looks []string
	for _, r := range results {
		if r.FirstLook != "" {
			looks = append(looks, fmt.Sprintf("%s: %s; at first %s", r.ID, strings.ToLower(string(r.Verdict)), cell(r.FirstLook)))
		}
	}
	writeDetails(b, "looked at again, as the machine was busy", looks)
}

func writeSkipped(b *strings.Builder, results []v1alpha1.Result) {
	var skipped []string
	for _, r := range results {
		if r.Verdict == v1alpha1.Skipped {
			skipped = append(skipped, fmt.Sprintf("%s (%s): %s", r.ID, r.Level, cell(r.Reason)))
		}
	}
	writeDetails(b, "skipped", skipped)
}

// writeAdvice lists what does not decide the verdict.
func writeAdvice(b *strings.Builder, results []v1alpha1.Result) {
	for _, r := range results {
		var advice []string
		for _, text := range r.Advice {
			advice = append(advice, cell(text))
		}
		writeDetails(b, fmt.Sprintf("advice by %s: %s", r.ID, cell(r.Must)), advice)
	}
}

// writeDetails writes a list that is folded, unless it is empty.
func writeDetails(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", line)
	}
	b.WriteString("\n</details>\n\n")
}

// Pace tells how long the scenarios took: those that ran at the same time as a multiple
// of the longest of them, which it names, and those that ran one by one afterwards.
func Pace(report *v1alpha1.ConformanceReport) string {
	d := report.Durations
	pace := Round(d.Scenarios.Duration - d.Slow.Duration - d.Again.Duration).String()
	for _, r := range report.Results {
		if r.Duration == d.LongestScenario && r.Duration.Duration > 0 {
			pace += fmt.Sprintf(" (%.1f × the longest, %s %s)", d.Ratio, r.ID, Round(r.Duration.Duration))
			break
		}
	}
	if d.Slow.Duration > 0 {
		pace += fmt.Sprintf(" and the slow ones %s", Round(d.Slow.Duration))
	}
	if d.Again.Duration > 0 {
		pace += fmt.Sprintf(", and second looks %s", Round(d.Again.Duration))
	}
	return pace
}

// Core tells how many of the core requirements were judged.
func Core(report *v1alpha1.ConformanceReport) string {
	return fmt.Sprintf("%d of %d core requirements judged", report.Core.Judged, report.Core.Total)
}

// numbers of requests, as they stand in messages.
func numbers(requests []int64) string {
	var list []string
	for _, seq := range requests {
		list = append(list, fmt.Sprintf("#%d", seq))
	}
	return strings.Join(list, ", ")
}

// Round makes a duration readable: tenths of a second.
func Round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

func symbol(v v1alpha1.ResultVerdict) string {
	switch v {
	case v1alpha1.Passed:
		return "✅"
	case v1alpha1.Failed:
		return "❌"
	case v1alpha1.ResultInconclusive:
		return "❔"
	default:
		return "➖"
	}
}

func symbolOfRun(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.Conformant, v1alpha1.Partial:
		return "✅"
	case v1alpha1.NotConformant:
		return "❌"
	default:
		return "❔"
	}
}

// cell makes text safe within a line of Markdown: what a subject wrote must
// not become markup.
func cell(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "|", "\\|").Replace(text)
}

// fence puts text into a code block that the text itself cannot close.
func fence(text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks
}
