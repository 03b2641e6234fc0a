package page

import (
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// classLine says how far a conformance class is met.
type classLine struct {
	Name               string
	State              state
	Required, Optional string
	Passed             string // of what applies, as in "6 of 7"; empty if nothing was judged
}

func classLines(classes []v1alpha1.ClassResult) []classLine {
	var lines []classLine
	for _, p := range classes {
		line := classLine{p.Name, stateOfClass(p.Verdict), tallied(p.Required), tallied(p.Optional), verdict.Passed(p)}
		if p.Verdict == v1alpha1.ClassNotJudged || p.Verdict == v1alpha1.ClassNotClaimed {
			line.Passed = ""
		}
		lines = append(lines, line)
	}
	return lines
}

func tallied(t v1alpha1.Tally) string {
	if t.Total == 0 {
		return "none"
	}
	text := fmt.Sprintf("%d of %d passed", t.Passed, t.Total)
	for _, rare := range []struct {
		n    int
		word string
	}{{t.Failed, "failed"}, {t.NotJudged, "not judged"}, {t.NotClaimed, "not claimed"}} {
		if rare.n > 0 {
			text += fmt.Sprintf(", %d %s", rare.n, rare.word)
		}
	}
	return text
}

// extended says how much was judged of what depends on claims.
type extended struct {
	Tried, Passed int
	Seen          int // features that were seen but are not claimed
	Exercised     string
}

func extendedOf(r *v1alpha1.ConformanceReport) extended {
	e := extended{Seen: len(r.SeenButUnclaimed)}
	fired, all, rows := 0, 0, 0
	for _, result := range r.Results {
		if result.Level == catalogue.Extended && result.Verdict != v1alpha1.Skipped {
			e.Tried++
			if result.Verdict == v1alpha1.Passed {
				e.Passed++
			}
		}
		var some, of int
		if n, err := fmt.Sscanf(result.Exercised, "%d of %d", &some, &of); err == nil && n == 2 {
			fired, all, rows = fired+some, all+of, rows+1
		}
	}
	if rows > 0 {
		e.Exercised = fmt.Sprintf("%d of %d met a request of the controller, in %s. A Fault is an error, a delay or a cut that a scenario injects",
			fired, all, report.Counted(rows, "scenario"))
	}
	return e
}
