package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/report/page"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// printVerdict prints the verdict at the end of the output, on stdout. dir is the folder of
// the reports, or empty if they could not be written. rerun is the command that repeats what
// did not pass, if there is one.
func printVerdict(cmd *cobra.Command, r *v1alpha1.ConformanceReport, dir, rerun string) {
	out := cmd.OutOrStdout()
	for _, line := range report.Parts(r) {
		printWrapped(out, "%s", line)
	}
	d := r.Durations
	fmt.Fprintln(out)
	printWrapped(out, "control plane %s, scenarios %s, total %s",
		report.Round(d.ControlPlane.Duration), report.Pace(r), report.Round(d.Total.Duration))
	printAdvice(out, r)
	if dir != "" {
		printWrapped(out, "report: %s (to look at); beside it: %s", filepath.Join(dir, report.PageFile),
			strings.Join([]string{report.YAMLFile, report.SummaryFile, report.JUnitFile, report.HistoryFile, "logs/"}, ", "))
	}
	if r.NotStarted != nil {
		// Everything is blocked by that, so a list of it would only hide the reason.
		fmt.Fprintf(out, "nothing was judged: %s\n", r.NotStarted.Reason)
		fmt.Fprintf(out, "when it starts: %s\n", r.Reproduce)
		printConclusion(cmd, r)
		return
	}
	if cut := report.Cut(r); cut != "" {
		printWrapped(out, "%s", cut)
	} else {
		for _, unserved := range report.Unserved(r) {
			printWrapped(out, "%s", unserved)
		}
		for _, seen := range report.Unclaimed(r) {
			printWrapped(out, "not claimed, but seen: %s", seen)
		}
	}
	printAccused(cmd, r)
	printMistakes(out, r)
	printRerun(out, r)
	if rerun != "" {
		fmt.Fprintf(out, "run them again: %s\n", rerun)
	}
	printNotJudged(cmd, r)
	if what, command := report.Rest(r); command != "" && (r.CutShort != nil || len(report.NotPassed(r)) == 0) {
		fmt.Fprintf(out, "%s: %s\n", what, command)
	}
	printIndex(out, r)
	printConclusion(cmd, r)
}

// printRerun says which results are newer than the others.
func printRerun(out io.Writer, r *v1alpha1.ConformanceReport) {
	if r.Rerun == nil {
		return
	}
	judged, others := "nothing was judged again", "all results are"
	if len(r.Rerun.Judged) > 0 {
		judged, others = "judged again: "+report.Named(r.Rerun.Judged), "all other results are"
	}
	fmt.Fprintf(out, "%s; %s of %s, so run all once more: %s\n", judged, others, r.Rerun.Date.Format(time.DateTime), r.Reproduce)
}

// printWrapped prints a line. On a terminal it is wrapped, and not in the middle of a word.
// Commands are printed as they are, so that they can be copied.
func printWrapped(out io.Writer, format string, args ...any) {
	for _, line := range paragraph.Wrap(fmt.Sprintf(format, args...), widthOf(out), "", "  ") {
		fmt.Fprintln(out, line)
	}
}

// mostAdvice is how much advice of one requirement a terminal shows.
const mostAdvice = 2

// printAdvice prints what does not decide the verdict. The report has all of it.
func printAdvice(out io.Writer, r *v1alpha1.ConformanceReport) {
	for _, result := range r.Results {
		for _, advice := range result.Advice[:min(mostAdvice, len(result.Advice))] {
			fmt.Fprintf(out, "advice by %s: %s\n", result.ID, advice)
		}
		if more := len(result.Advice) - mostAdvice; more > 0 {
			fmt.Fprintf(out, "advice by %s: %d more, in the report\n", result.ID, more)
		}
	}
}

// printAccused prints the IDs of what did not pass, and what is known about it.
func printAccused(cmd *cobra.Command, r *v1alpha1.ConformanceReport) {
	out := cmd.OutOrStdout()
	for _, line := range report.Lists(r, report.NewPainter(out)) {
		fmt.Fprintln(out, line)
	}
	if waiting := report.Waiting(r); waiting != "" {
		for _, line := range paragraph.Wrap(waiting, textWidth(out), "", "  ") {
			fmt.Fprintln(out, line)
		}
	}
	for _, line := range slices.Concat(report.Expired(r), report.Unused(r)) {
		printWrapped(out, "%s", line)
	}
	for _, line := range report.Known(r) {
		fmt.Fprintf(out, "known: %s\n", line)
	}
}

// mostMistakes is how many failures the end of the output repeats.
const mostMistakes = 5

// printMistakes says of each failure in some lines what is required, what had been done, what
// was found, and which mistake that is. Somebody who reads only the end of the output must see
// what is wrong.
func printMistakes(out io.Writer, r *v1alpha1.ConformanceReport) {
	width := textWidth(out)
	all, _ := catalogue.Embedded() // without it, what had been done is not said
	all = page.SpokenFor(r, all)
	const indent = "          "
	shown, more := 0, 0
	mostOfMust := 2 * width // characters of the requirement
	if r.Summary.Failed == 1 {
		mostOfMust = 5 * width // there is room for all of it
	}
	if slices.ContainsFunc(r.Results, func(result v1alpha1.Result) bool { return verdict.Fails(result.Verdict) }) {
		fmt.Fprintln(out, "what was found:")
	}
	for n := range r.Results {
		result := &r.Results[n]
		if !verdict.Fails(result.Verdict) {
			continue
		}
		if shown++; shown > mostMistakes {
			more++
			continue
		}
		first := "  " + result.ID + "  "
		for _, text := range mistakeInWords(result, all, width, mostOfMust) {
			for _, line := range paragraph.Wrap(text, width, first, indent) {
				fmt.Fprintln(out, line)
			}
			first = indent
		}
	}
	if more > 0 {
		fmt.Fprintf(out, "  and %d more, in the report\n", more)
	}
}

// mistakeInWords returns the paragraphs about one failure, for a terminal of this width.
func mistakeInWords(result *v1alpha1.Result, all []catalogue.Requirement, width, mostOfMust int) []string {
	brief := result.DeepCopy()
	sanitize.All(brief)
	var said []string
	if must := evidence.Must(brief); must != "" {
		said = append(said, sanitize.Cut(must, mostOfMust))
	}
	if done := doneBefore(all, brief); done != "" {
		said = append(said, done)
	}
	said = append(said, sanitize.Cut(evidence.Brief(brief), 4*width))
	e := brief.Evidence
	if e == nil {
		return said
	}
	for _, text := range evidence.InBrief(e) {
		said = append(said, sanitize.Cut(text, 3*width))
	}
	switch {
	case e.Catches != "":
		said = append(said, "the usual mistake: "+evidence.Mistake(brief))
	case e.Hint != "": // of an invariant: it has no usual mistake
		said = append(said, "what to do: "+e.Hint)
	}
	return said
}

// doneBefore returns the name of the step that had changed something before the step
// that failed, or "" if the failed step is not known, or does not judge.
func doneBefore(all []catalogue.Requirement, r *v1alpha1.Result) string {
	if r.Evidence == nil {
		return ""
	}
	step := r.Evidence.Step // with its operation behind it
	if at := strings.LastIndex(step, ": "); at >= 0 {
		step = step[:at]
	}
	if requirement, err := catalogue.Find(all, r.ID); err == nil && strings.HasPrefix(step, "Then ") {
		return requirement.When(step)
	}
	return ""
}

// mostIndexed is how many failures the last lines name. With the verdict below them, they
// are at most 20 lines.
const mostIndexed = 11

// printIndex names in one line each failure, and the mistake that its requirement exists to
// catch. A single one is not named again. How many were blocked by them stands in the counts.
func printIndex(out io.Writer, r *v1alpha1.ConformanceReport) {
	width := textWidth(out)
	mistakes, order := map[string]string{}, []string{}
	for n := range r.Results {
		result := &r.Results[n]
		if _, known := mistakes[result.ID]; known || !verdict.Fails(result.Verdict) {
			continue
		}
		brief := result.DeepCopy()
		sanitize.All(brief)
		mistake := cmp.Or(evidence.Named(brief), evidence.Brief(brief))
		mistakes[result.ID] = strings.Join(strings.Fields(mistake), " ")
		order = append(order, result.ID)
	}
	if len(order) < 2 { // it stands above
		return
	}
	fmt.Fprintln(out, "all that failed, each with its mistake:")
	paint := report.NewPainter(out)
	for n, id := range order {
		if n == mostIndexed {
			fmt.Fprintf(out, "  and %d more\n", len(order)-n)
			break
		}
		fmt.Fprintf(out, "  %s  %s\n", paint.Bad(id), sanitize.CutEnd(mistakes[id], max(1, width-len(id)-4)))
	}
}

// printNotJudged says what of the core was not judged.
func printNotJudged(cmd *cobra.Command, r *v1alpha1.ConformanceReport) {
	gaps := report.CoreGaps(r)
	for n, gap := range gaps {
		line := sanitize.Text(gap.InWords())
		if n == len(gaps)-1 {
			line += fmt.Sprintf(" (%s)", report.Explaining)
		}
		printWrapped(cmd.OutOrStdout(), "%s", line)
	}
}

// printConclusion prints the verdict itself.
func printConclusion(cmd *cobra.Command, r *v1alpha1.ConformanceReport) {
	out := cmd.OutOrStdout()
	if baseline.Verdict(r) != r.Verdict {
		fmt.Fprintln(out, "all that failed is known: the exit status is that of a run without it")
	}
	if r.NotStarted == nil {
		printWrapped(out, "classes: %s", verdict.Headline(r.Classes))
	}
	fmt.Fprintln(out, report.Counts(r.Summary))
	line := fmt.Sprintf("%s is %s", r.Implementation.Name, report.Verdict(r, report.CoreGaps(r)))
	for _, part := range paragraph.Wrap(line, widthOf(out), "", "  ") {
		fmt.Fprintln(out, report.NewPainter(out).PaintVerdict(r.Verdict, part))
	}
}
