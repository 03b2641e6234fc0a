package evidence

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	rules "reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/verdict"
)

// Text describes a result that did not pass: the reason, where to look and how to see it
// again, and then the proofs, each below a title. It ends without a newline.
func Text(r *v1alpha1.Result) string {
	var b strings.Builder
	b.WriteString(Reason(r))
	if e := r.Evidence; e != nil {
		difference := e.Difference
		if strings.Contains(r.Reason, strings.TrimSpace(difference)) || len(Pairs(r.Reason)) > 0 {
			difference = "" // the reason says it
		}
		for _, part := range []struct{ title, text string }{
			{"hint", e.Hint},
			{"this requirement exists to catch", e.Catches},
			{"reproduce with", e.Reproduce},
			{"what was seen", Seen(e)},
			{"one by one", first(e.Details)},
			{"expected and observed", difference},
			{"the requests that prove it", strings.Join(e.Requests, "\n")},
			{"its last writes before that", strings.Join(e.Recent, "\n")},
			{"last lines of the controller", strings.Join(e.Log, "\n")},
		} {
			if part.text != "" {
				fmt.Fprintf(&b, "%s:\n  %s\n", part.title, paragraph.Indent(part.text))
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Must says what was not met: what the requirement demands. If it failed only because an
// invariant was broken in its scenario, which is about something else, that is what this invariant
// demands.
func Must(r *v1alpha1.Result) string {
	if e := r.Evidence; e != nil && elsewhere(e) && verdict.Fails(r.Verdict) {
		if must := rules.Must(e.Violations[0].Rule); must != "" {
			return must + " (This holds in every scenario. It was broken in that of " + r.ID + ", which is about something else.)"
		}
	}
	return r.Must
}

// elsewhere says whether a scenario failed only because an invariant was broken, and is about
// something else. What its own step found proves nothing then.
func elsewhere(e *v1alpha1.Evidence) bool { return e.Catches == "" && len(e.Violations) > 0 }

// Mistake returns the probable mistake of the controller, or "" if none is known. If the
// requirement relies on others that were not judged, theirs are as probable, unless a write
// of the controller itself is wrong.
func Mistake(r *v1alpha1.Result) string {
	if r.Evidence == nil || r.Evidence.Catches == "" {
		return ""
	}
	wrote := slices.ContainsFunc(r.Evidence.Symptoms, func(s v1alpha1.Symptom) bool {
		return s.State == v1alpha1.Written || s.State == v1alpha1.Removed
	})
	if m := besides.FindStringSubmatch(r.Reason); m != nil && !wrote {
		return fmt.Sprintf("%s; or what %s would find, not judged here", r.Evidence.Catches, m[1])
	}
	return r.Evidence.Catches
}

// Named returns the mistake of the controller in a few words: the probable one, or what it did
// that must never happen. If a step failed, too, that is another matter. It returns "" if
// neither is known.
func Named(r *v1alpha1.Result) string {
	if mistake := Mistake(r); mistake != "" || r.Evidence == nil || len(r.Evidence.Violations) == 0 {
		return mistake
	}
	return NeverHappens(r.Evidence.Violations[0].Rule)
}

// mostDetails is how many details a terminal shows. The report has all of them.
const mostDetails = 5

// first returns the first details, one in each line, and how many more there are. It
// returns "" for a single detail, because the reason already has it.
func first(details []string) string {
	if len(details) < 2 {
		return ""
	}
	text := strings.Join(details[:min(mostDetails, len(details))], "\n")
	if more := len(details) - mostDetails; more > 0 {
		text += fmt.Sprintf("\nand %d more, in report.html", more)
	}
	return text
}

// mostSeen is how many symptoms are shown.
const mostSeen = 3

// Seen describes what made the failed step fail, what it found, and what the controller did
// about it, one sentence in each line. It returns "" if that is not known.
func Seen(e *v1alpha1.Evidence) string {
	var lines []string
	if e.Happened != "" {
		lines = append(lines, e.Happened)
	}
	if elsewhere(e) {
		return strings.Join(append(lines, e.Before...), "\n")
	}
	for _, symptom := range e.Symptoms[:min(mostSeen, len(e.Symptoms))] {
		if symptom.Seen != e.Happened {
			lines = append(lines, symptom.Seen)
		}
	}
	if more := len(e.Symptoms) - mostSeen; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(append(lines, e.Before...), "\n")
}

// InBrief returns the sentences of Seen that the end of the output repeats: what the reason in
// brief does not say.
func InBrief(e *v1alpha1.Evidence) []string {
	if elsewhere(e) {
		return e.Before
	}
	var lines []string
	for n, symptom := range e.Symptoms {
		another := symptom.State == v1alpha1.Refused || n == 1 && symptom.State == v1alpha1.Repeated
		if n == 0 && e.Happened == "" || n > 0 && another {
			lines = append(lines, "seen: "+symptom.Seen)
		}
	}
	return append(lines, e.Before...)
}
