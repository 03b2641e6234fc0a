package report

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict"
)

// notes returns what a run shows in addition to its verdict, one in each line: what the
// profile only guesses and what it could claim, and its times.
func notes(report *v1alpha1.ConformanceReport) []string {
	lines := Unserved(report)
	if waiting := Waiting(report); waiting != "" {
		lines = append(lines, waiting)
	}
	for _, text := range Unclaimed(report) {
		lines = append(lines, "not claimed, but seen: "+text)
	}
	for _, text := range measured(report) {
		lines = append(lines, "time "+text)
	}
	return lines
}

// Waiting says how many requirements came to no conclusion because of a line of the profile that
// is only guessed, and what to write there. It returns "" if there are none.
func Waiting(report *v1alpha1.ConformanceReport) string {
	var waiting []string
	for _, r := range report.Results {
		if r.Verdict == v1alpha1.ResultInconclusive && strings.Contains(r.Reason, verdict.RetryGuessed) && !slices.Contains(waiting, r.ID) {
			waiting = append(waiting, r.ID)
		}
	}
	if len(waiting) == 0 {
		return ""
	}
	count := "1 requirement is"
	if len(waiting) > 1 {
		count = fmt.Sprintf("%d requirements are", len(waiting))
	}
	return fmt.Sprintf("%s inconclusive as %s (%s): write in the profile when the controller tries again, without guessed: true. "+
		"If it never does, that is a mistake: run again after you have mended it", count, verdict.RetryGuessed, Named(waiting))
}

// Unserved says which requests the bench could not serve, one sort in each line.
func Unserved(report *v1alpha1.ConformanceReport) []string {
	var texts []string
	for _, u := range report.Unserved {
		times := "once"
		if u.Count > 1 {
			times = fmt.Sprintf("%d times", u.Count)
		}
		texts = append(texts, fmt.Sprintf("not served by the bench: %s, %s (%s), in %s", u.Request, times, u.Answer, strings.Join(u.SeenIn, ", ")))
	}
	return texts
}

// Unclaimed returns the features that were seen but that the profile does not claim, one
// in each line.
func Unclaimed(report *v1alpha1.ConformanceReport) []string {
	var texts []string
	for _, seen := range report.SeenButUnclaimed {
		texts = append(texts, fmt.Sprintf("%s (%s): add %s", seen.Feature, seen.Seen, seen.Add))
	}
	return texts
}

// measured returns the times of the profile, one in each line.
func measured(report *v1alpha1.ConformanceReport) []string {
	var texts []string
	for _, m := range report.Measured {
		text := m.Name + ": "
		if m.Declared != nil {
			text += fmt.Sprintf("declared %s, ", m.Declared.Duration)
		}
		if m.Measured != nil {
			text += fmt.Sprintf("measured %s in %s", m.Measured.Duration, m.In)
		} else {
			text += "not seen"
		}
		texts = append(texts, text+" ("+m.What+")")
	}
	return texts
}

// Known returns the failures that were declared as known, one in each line.
func Known(report *v1alpha1.ConformanceReport) []string {
	var texts []string
	for _, k := range report.Known {
		texts = append(texts, knownInWords(k))
	}
	return texts
}

// knownInWords says of a known failure what was found of it.
func knownInWords(k v1alpha1.KnownResult) string {
	words := map[v1alpha1.KnownState]string{
		v1alpha1.KnownFails:   "fails, as known until " + k.Expires,
		v1alpha1.KnownExpired: "fails, and should have been fixed by " + k.Expires,
		v1alpha1.KnownMended:  "is fixed: remove it from the known failures",
		v1alpha1.KnownNotSeen: "was not judged",
	}[k.State]
	return fmt.Sprintf("%s %s (%s: %s)", k.ID, words, k.Owner, k.Reason)
}

// Cut says what was not judged because the run was cut short. It returns "" if the run was
// not cut short.
func Cut(report *v1alpha1.ConformanceReport) string {
	cut := report.CutShort
	switch {
	case cut == nil:
		return ""
	case len(cut.NotJudged) == 0:
		return cut.Reason + "; every requirement that was selected has a verdict all the same, without a second look"
	}
	return fmt.Sprintf("not judged, as %s: %s", cut.Reason, Named(cut.NotJudged))
}

// Rest returns the command that judges what a run left out, and what it does. It returns ""
// if nothing is left.
func Rest(report *v1alpha1.ConformanceReport) (what, command string) {
	switch {
	case report.JudgeRest == "":
		return "", ""
	case report.CutShort != nil:
		return "judge what was not reached, and keep these results", report.JudgeRest
	default:
		return "judge all", report.JudgeRest
	}
}

// Expired returns the exemptions of the profile that no longer counted, one in each line.
func Expired(report *v1alpha1.ConformanceReport) []string {
	var texts []string
	for _, e := range report.Expired {
		text := fmt.Sprintf("the exemption of %s expired on %s (%s", strings.Join(e.Resources, ", "), e.Expires, e.Why)
		if e.Owner != "" {
			text += "; " + e.Owner
		}
		texts = append(texts, text+"): these requests are judged")
	}
	return texts
}

// Unused returns the exemptions of the profile that no request matched, one in each line. It
// returns none of a run that judged a part of the requirements: others may need them.
func Unused(report *v1alpha1.ConformanceReport) []string {
	part := report.Selection != v1alpha1.Selection{} && report.Core.Judged < report.Core.Total
	if part || report.Shard != nil || report.CutShort != nil || report.NotStarted != nil {
		return nil
	}
	var texts []string
	for _, e := range report.Unused {
		verbs := ""
		if len(e.Verbs) > 0 {
			verbs = strings.Join(e.Verbs, ", ") + " of "
		}
		texts = append(texts, fmt.Sprintf("no request of this run matched the exemption of %s%s (%s): correct it, or delete it",
			verbs, strings.Join(e.Resources, ", "), e.Why))
	}
	return texts
}

// UnusedInBoth returns the exemptions that no request of two runs matched.
func UnusedInBoth(one, other *v1alpha1.ConformanceReport) []v1alpha1.Exemption {
	return slices.DeleteFunc(slices.Clone(one.Unused), func(e v1alpha1.Exemption) bool {
		return !slices.ContainsFunc(other.Unused, func(o v1alpha1.Exemption) bool { return equality.Semantic.DeepEqual(e, o) })
	})
}

// Parts returns the parts of a merged report, one in each line.
func Parts(report *v1alpha1.ConformanceReport) []string {
	var texts []string
	for n, p := range report.Parts {
		text := fmt.Sprintf("part %d", n+1)
		if p.Shard != nil {
			text += fmt.Sprintf(", shard %s", p.Shard)
		}
		texts = append(texts, fmt.Sprintf("%s: %s, %s, in %s on %s", text, p.Verdict, Counts(p.Summary), Round(p.Total.Duration), p.Platform))
	}
	return texts
}
