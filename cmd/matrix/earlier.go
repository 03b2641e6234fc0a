package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// withEarlier returns the matrix together with what README.md in the repository says of the
// mutants that were not judged now. A mutant is left out if README.md does not have it, or
// if another requirement catches it since then.
func (m *matrix) withEarlier(root string, requirements []catalogue.Requirement) (*matrix, error) {
	mutants, err := mutant.Load(root)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, mutant.Dir, readme))
	if err != nil {
		return nil, fmt.Errorf("reading the matrix so far: %w", err)
	}
	rows, figures := readRows(string(text))
	all := &matrix{findings: slices.Clone(m.findings), explored: m.explored, all: m.all, tookBefore: figures[timeFigure]}
	again := strings.Split(figures[againFigure], ", ")
	for _, mu := range mutants {
		c, err := newCandidate(mu, requirements)
		if err != nil {
			return nil, err
		}
		judged := slices.ContainsFunc(m.findings, func(f finding) bool { return f.Name == mu.Name })
		row, known := rows[mu.Name]
		switch {
		case c.ByExplore():
			all.byExplore = append(all.byExplore, c)
		case c.requirement.Nodes:
			all.elsewhere = append(all.elsewhere, c)
		case !judged && known && row.caughtBy == mu.CaughtBy:
			all.findings = append(all.findings, row.finding(c, slices.Contains(again, mu.Name)))
		}
	}
	return all, nil
}

// row is what README.md says of a mutant.
type row struct{ caughtBy, reason, others string }

// readRows reads the table of the mutants, by name, and the figures above it.
func readRows(text string) (rows map[string]row, figures map[string]string) {
	rows, figures = map[string]row{}, map[string]string{}
	for _, cells := range readCells(text) {
		name, _, linked := strings.Cut(strings.TrimPrefix(cells[0], "["), "](")
		switch {
		case len(cells) == 2:
			figures[cells[0]] = cells[1]
		case len(cells) == 6 && linked:
			rows[name] = row{caughtBy: cells[3], reason: unescape(cells[4]), others: cells[5]}
		}
	}
	return rows, figures
}

// readCells returns the cells of each line.
func readCells(text string) [][]string {
	var all [][]string
	for _, line := range strings.Split(text, "\n") {
		// A bar in a cell has a backslash before it, so no cell has " | ".
		all = append(all, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
	}
	return all
}

// withEarlierSound returns the matrix together with what SOUND.md in the repository says of
// the sound controllers that were not judged now.
func (m *matrix) withEarlierSound(root string) (*matrix, error) {
	text, err := os.ReadFile(filepath.Join(root, mutant.Dir, soundReadme))
	if err != nil {
		return nil, fmt.Errorf("reading what was found in sound controllers so far: %w", err)
	}
	_, figures := readRows(string(text))
	all := &matrix{tookBefore: figures[timeFigure]}
	for _, name := range soundNames() {
		if i := slices.IndexFunc(m.sound, func(s *sound) bool { return s.name == name }); i >= 0 {
			all.sound = append(all.sound, m.sound[i])
			continue
		}
		for _, cells := range readCells(string(text)) {
			if len(cells) == 4 && cells[0] == name {
				all.sound = append(all.sound, earlierSound(cells))
			}
		}
	}
	return all, nil
}

// earlierSound returns what a row of SOUND.md says.
func earlierSound(cells []string) *sound {
	s := &sound{name: cells[0]}
	s.summary.Passed, _ = strconv.Atoi(cells[1])
	s.summary.Skipped, _ = strconv.Atoi(cells[2])
	if why, found := strings.CutPrefix(cells[3], notRun); found {
		s.missing = errors.New(unescape(why))
	} else if cells[3] != orNone("") {
		for _, accuser := range strings.Split(cells[3], ", ") {
			id, verdict, _ := strings.Cut(strings.TrimSuffix(accuser, ")"), " (")
			s.accusations = append(s.accusations, v1alpha1.Result{ID: id, Verdict: v1alpha1.ResultVerdict(verdict)})
		}
	}
	return s
}

// finding returns the row as the result for its mutant.
func (r row) finding(c candidate, again bool) finding {
	f := finding{candidate: c, verdict: killed, reason: r.reason, again: again}
	if r.others != "" {
		f.others = strings.Split(r.others, ", ")
	}
	for _, v := range []verdict{survived, otherReason, inconclusive, notApplicable} {
		if rest, found := strings.CutPrefix(r.reason, emphasis(v)); found {
			f.verdict, f.reason = v, strings.TrimSpace(rest)
		}
	}
	return f
}

// unescape undoes what [cell] does to a short line.
func unescape(text string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "\\|", "|").Replace(text)
}
