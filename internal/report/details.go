package report

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/verdict"
)

// mostSummary is how long the summary may be, in bytes. GitHub refuses a step summary of
// more than 1 MiB.
const mostSummary = 1000 << 10

// detail is how much the summary says about each thing.
type detail int

const (
	inFull detail = iota
	inBrief
)

// Limits of a brief summary: of a text, in characters, and of a list.
const (
	mostBrief      = 400
	mostBriefLines = 150
)

// text returns a text of a report, cut if necessary.
func (d detail) text(text string) string {
	if d == inBrief {
		return sanitize.Cut(text, mostBrief)
	}
	return text
}

// bounded cuts a text at the end of a paragraph, and says that there is more.
func bounded(text string, most int) string {
	const more = "\n\nThere is more in conformance-report.yaml and in report.html.\n"
	if len(text) <= most {
		return text
	}
	text = text[:most-len(more)]
	if end := strings.LastIndex(text, "\n\n"); end > 0 {
		text = text[:end]
	}
	return text + more
}

// writeAccused writes what failed, and what came to no conclusion.
func (d detail) writeAccused(b *strings.Builder, results []v1alpha1.Result) {
	for _, r := range results {
		if !verdict.Fails(r.Verdict) && r.Verdict != v1alpha1.ResultInconclusive {
			continue
		}
		word := strings.ToLower(string(r.Verdict))
		fmt.Fprintf(b, "### %s %s: %s\n\n%s\n\n", symbol(r.Verdict), r.ID, word, cell(d.text(evidence.Must(&r))))
		fmt.Fprintf(b, "%s\n\n", fence(d.text(strings.TrimPrefix(evidence.Reason(&r), "reason: "))))
		if e := r.Evidence; e != nil && d == inBrief {
			if e.Catches != "" {
				fmt.Fprintf(b, "- catches: %s\n\n", cell(d.text(e.Catches)))
			}
		} else if e != nil {
			if e.Catches != "" {
				fmt.Fprintf(b, "- catches: %s\n", cell(e.Catches))
			}
			if e.Hint != "" {
				fmt.Fprintf(b, "- hint: %s\n", cell(e.Hint))
			}
			if e.Reproduce != "" {
				fmt.Fprintf(b, "- reproduce: `%s`\n", e.Reproduce)
			}
			if seen := evidence.Seen(e); seen != "" {
				fmt.Fprintf(b, "- seen: %s\n", cell(strings.ReplaceAll(seen, "\n", "; ")))
			}
			for _, violation := range e.Violations {
				fmt.Fprintf(b, "- %s, in requests %s of history.jsonl\n", cell(violation.Rule), numbers(violation.Requests))
			}
			for _, request := range e.Requests {
				fmt.Fprintf(b, "  - %s\n", cell(request))
			}
			if len(e.Recent) > 0 {
				b.WriteString("- its last writes before that:\n")
			}
			for _, request := range e.Recent {
				fmt.Fprintf(b, "  - %s\n", cell(request))
			}
			b.WriteString("\n")
			if len(e.Details) > 1 {
				d.writeDetails(b, "what was found, one by one", cells(e.Details))
			}
			if e.Difference != "" && len(evidence.Pairs(r.Reason)) == 0 {
				fmt.Fprintf(b, "<details><summary>expected and observed</summary>\n\n%s\n\n</details>\n\n", fence(e.Difference))
			}
		}
	}
}

// writeSecondLooks lists first results that did not count because the machine was busy.
func (d detail) writeSecondLooks(b *strings.Builder, results []v1alpha1.Result) {
	var looks []string
	for _, r := range results {
		if r.FirstLook != "" {
			word := strings.ToLower(string(r.Verdict))
			looks = append(looks, fmt.Sprintf("%s: %s; at first %s", r.ID, word, cell(r.FirstLook)))
		}
	}
	d.writeDetails(b, "looked at again, because the machine was busy", looks)
}

// writeListed lists the results with a verdict, but not what a run had not reached when it
// ended. If the controller never started, it does not repeat what that blocked.
func (d detail) writeListed(
	b *strings.Builder, title string, v v1alpha1.ResultVerdict, report *v1alpha1.ConformanceReport,
) {
	var listed []string
	for _, r := range report.Results {
		if r.Verdict != v || v == v1alpha1.Blocked && report.NotStarted != nil || notReached(report, r.ID) {
			continue
		}
		reason := strings.TrimPrefix(strings.TrimRight(evidence.Reason(&r), "\n"), "reason: ")
		listed = append(listed, fmt.Sprintf("%s (%s): %s", r.ID, r.Level, cell(strings.ReplaceAll(reason, "\n", "; "))))
	}
	d.writeDetails(b, title, listed)
}

// writeAdvice lists advice, which does not decide the verdict.
func (d detail) writeAdvice(b *strings.Builder, results []v1alpha1.Result) {
	for _, r := range results {
		d.writeDetails(b, fmt.Sprintf("advice by %s: %s", r.ID, cell(r.Must)), cells(r.Advice))
	}
}

// writeDetails writes a folded list, unless the list is empty.
func (d detail) writeDetails(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n", title)
	for n, line := range lines {
		if d == inBrief && n == mostBriefLines {
			fmt.Fprintf(b, "- and %d more\n", len(lines)-n)
			break
		}
		fmt.Fprintf(b, "- %s\n", d.text(line))
	}
	b.WriteString("\n</details>\n\n")
}
