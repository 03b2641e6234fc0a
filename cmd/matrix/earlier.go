package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	for _, line := range strings.Split(text, "\n") {
		// A bar in a cell has a backslash before it, so no cell has " | ".
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
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
