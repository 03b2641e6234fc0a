package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/report"
)

// proved tells whether every mutant was killed, and no sound controller was accused or left
// out.
func (m *matrix) proved() bool {
	for _, s := range m.sound {
		if len(s.accusations) > 0 || s.missing != nil && !s.excused {
			return false
		}
	}
	unfound := slices.ContainsFunc(m.explored, func(e exploration) bool { return e.ByExplore() && e.verdict() != killed })
	return len(m.with(killed)) == len(m.findings) && !unfound
}

// with returns the findings that have a verdict.
func (m *matrix) with(v verdict) []finding {
	var found []finding
	for _, f := range m.findings {
		if f.verdict == v {
			found = append(found, f)
		}
	}
	return found
}

// print lists at the end what is wrong, and the figures.
func (m *matrix) print(out io.Writer) {
	for _, f := range m.findings {
		if f.verdict == killed {
			continue
		}
		fmt.Fprintf(out, "\n%s: %s, by %s\n", f.Name, f.verdict, f.requirement.ID)
		for _, line := range []struct{ title, text string }{
			{"mistake", f.Mistake},
			{"must", f.requirement.Must},
			{"reason given", orNone(f.reason)},
			{"expected", f.Because.String()},
			{"others that failed", orNone(strings.Join(f.others, ", "))},
			{"history", f.dir},
			{"by hand", f.byHand()},
		} {
			fmt.Fprintf(out, "  %s: %s\n", line.title, line.text)
		}
	}
	for _, e := range m.explored {
		fmt.Fprintf(out, "\nexplored %s (%s): %s\n", e.Name, e.CaughtBy, e.inWords())
	}
	for _, s := range m.sound {
		if s.missing != nil && !s.excused {
			fmt.Fprintf(out, "\n%s could not be run: %v\n", s.name, s.missing)
		}
		for _, a := range s.accusations {
			fmt.Fprintf(out, "\nfalse accusation of %s: %s %s\n  reason given: %s\n  history: %s\n  by hand: bin/reconform run --profile %s --run '^%s$'\n",
				s.name, a.ID, a.Verdict, a.Reason, s.dir, s.name, a.ID)
		}
	}
	fmt.Fprintf(out, "\n%s\n", m.figures())
}

// figures returns the matrix in one line.
func (m *matrix) figures() string {
	parts := []string{fmt.Sprintf("%d killed", len(m.with(killed)))}
	if n := len(m.again()); n > 0 {
		parts[0] += fmt.Sprintf(" (%d when looked at again)", n)
	}
	for _, v := range []verdict{survived, otherReason, inconclusive, notApplicable} {
		if n := len(m.with(v)); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := report.Counted(len(m.findings), "mutant") + ": " + strings.Join(parts, ", ")
	if m.all {
		text += "; " + report.Counted(m.soundRun(), "sound controller") + ": " + report.Counted(m.accusations(), "false accusation")
	}
	return text + "; " + report.Round(m.took+m.soundTook).String()
}

// soundRun returns how many sound controllers were run.
func (m *matrix) soundRun() int {
	count := 0
	for _, s := range m.sound {
		if s.missing == nil {
			count++
		}
	}
	return count
}

// accusations returns the number of accusations of all sound controllers together.
func (m *matrix) accusations() int {
	count := 0
	for _, s := range m.sound {
		count += len(s.accusations)
	}
	return count
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
