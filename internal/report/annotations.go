package report

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// mostAnnotated is how long the message of an annotation may be, in characters, before
// it is escaped. Actions accepts more, but nobody reads more there.
const mostAnnotated = 2 << 10

// Annotations returns commands to GitHub Actions, one in each line: one for every
// requirement that failed and is not known to fail, at the line of its scenario. A GitHub
// page shows ten for each step, so the causes of other failures come first.
func Annotations(report *v1alpha1.ConformanceReport) []string {
	causes := map[string]bool{}
	for _, r := range report.Results {
		causes[r.BlockedBy] = true
	}
	var first, rest []string
	for _, r := range report.Results {
		if !verdict.Fails(r.Verdict) || baseline.Of(r, report.Known) != nil {
			continue
		}
		if line := annotation(r); causes[r.ID] {
			first = append(first, line)
		} else {
			rest = append(rest, line)
		}
	}
	return append(first, rest...)
}

func annotation(r v1alpha1.Result) string {
	place, hint := "", ""
	if e := r.Evidence; e != nil {
		hint = e.Hint
		if at := strings.LastIndexByte(e.Scenario, ':'); at >= 0 {
			place = fmt.Sprintf("file=%s,line=%s,", property(e.Scenario[:at]), property(e.Scenario[at+1:]))
		}
	}
	title := strings.TrimSpace(fmt.Sprintf("%s %s: %s", r.ID, strings.ToLower(string(r.Verdict)), evidence.Must(&r)))
	text := r.Reason
	if r.Repeat > 0 {
		text = fmt.Sprintf("round %d: %s", r.Repeat, text)
	}
	if hint != "" {
		text += "\n" + hint
	}
	return fmt.Sprintf("::error %stitle=%s::%s", place, property(title), data(text))
}

// data, and property below, escape a text so that it cannot end the command or begin
// another one.
func data(text string) string {
	text = sanitize.Text(sanitize.Cut(text, mostAnnotated))
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
