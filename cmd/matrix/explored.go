package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

// families are the areas whose mistakes an exploration is to find: those that show when the
// controller is disturbed.
func families() []string {
	return []string{"cache-sync", "cascade-delete", "leader-failover", "level-triggered", "retries", "self-healing", "status"}
}

// exploredDir is the folder for the explorations in the report directory.
const exploredDir = "explored"

// exploration is what `reconform explore` found in a mutant.
type exploration struct {
	candidate
	// plans that were carried out, and all that there are.
	done, all int
	// causes in words, and whether one of them is the reason that the mutant expects. That is
	// only asked of mutants that no requirement catches.
	causes   []string
	expected bool
	// why there is no result.
	failed string
}

// verdict says whether the mutant was found.
func (e exploration) verdict() verdict {
	switch {
	case e.failed != "":
		return inconclusive
	case len(e.causes) == 0:
		return survived
	case e.ByExplore() && !e.expected:
		return otherReason
	}
	return killed
}

// exploreAll explores the mutants of the families, and those that no requirement catches.
func (p *proving) exploreAll(ctx context.Context, m *matrix, chosen []candidate) error {
	all := slices.Concat(m.byExplore, slices.DeleteFunc(slices.Clone(chosen), func(c candidate) bool {
		return !slices.Contains(families(), c.requirement.Area)
	}))
	m.byExplore = nil
	for i, c := range all {
		p.console.Printf("\nexploring %d of %d, for %s: %s", i+1, len(all), p.flags.explore, c.Name)
		dir := filepath.Join(p.reportDir, exploredDir, c.Name)
		found := exploration{candidate: c}
		r, err := p.explore(ctx, c, dir)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			found.failed = err.Error()
		default:
			found.take(r)
		}
		p.console.Printf("  %s", found.inWords())
		m.explored = append(m.explored, found)
	}
	return nil
}

// take takes over what a report says.
func (e *exploration) take(r *v1alpha1.ExploreReport) {
	e.done, e.all = r.Plans.Done+r.Plans.Unreached, max(r.Plans.All, r.Plans.Planned)
	if r.Verdict == v1alpha1.ExploredInconclusive {
		e.failed = cmp.Or(r.Reason, "nothing could be concluded")
	}
	for _, c := range r.Causes {
		e.causes = append(e.causes, c.About)
		e.expected = e.expected || e.Because.MatchString(c.About+" "+c.Divergence.InWords())
	}
}

// inWords says what was found in one line.
func (e exploration) inWords() string {
	text := fmt.Sprintf("%s, %d of %d plans", e.verdict(), e.done, e.all)
	if why := e.why(); why != "" {
		text += ": " + why
	}
	return text
}

// why returns the first cause in brief, or why there is no result.
func (e exploration) why() string {
	if e.failed == "" && len(e.causes) > 0 {
		return brief(e.causes[0])
	}
	return brief(e.failed)
}

// exploreByCommand runs bin/reconform explore on a mutant. The log is beside its folder, which
// the command takes only if it is empty.
func (p *proving) exploreByCommand(ctx context.Context, c candidate, dir string) (*v1alpha1.ExploreReport, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the explorations: %w", err)
	}
	log, err := os.Create(dir + ".log")
	if err != nil {
		return nil, fmt.Errorf("making the log of an exploration: %w", err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, filepath.Join("bin", "reconform"), "explore", "--profile", c.file, "--budget", p.flags.explore.String(), "--report-dir", dir)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.flags.root, log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	err = cmd.Run()
	r, readErr := report.ReadExplored(dir)
	if readErr != nil {
		return nil, fmt.Errorf("%w: see %s", errors.Join(readErr, err), log.Name())
	}
	return r, nil
}

// exploredMarkdown lists what explorations found.
func (m *matrix) exploredMarkdown() string {
	var b strings.Builder
	if len(m.explored) > 0 {
		found := 0
		for _, e := range m.explored {
			if e.verdict() == killed {
				found++
			}
		}
		fmt.Fprintf(&b, "\n## Explored\n\n`reconform explore` was told nothing but the profile. It found %d of %d mutants.\n\n", found, len(m.explored))
		b.WriteString("| mutant | caught by | found by explore | plans | cause |\n|---|---|---|---|---|\n")
		for _, e := range m.explored {
			fmt.Fprintf(&b, "| [%s](%s/%s.patch) | %s | %s | %d of %d | %s |\n", e.Name, e.Base, e.Name, e.CaughtBy, e.verdict(), e.done, e.all, cell(e.why()))
		}
	}
	if len(m.byExplore) > 0 {
		b.WriteString("\n## Found by explore only\n\nNo requirement catches these, and they do not count above. `reconform explore` finds them\n" +
			"(`bin/matrix -explore 5m -run NAME`); [docs/explore.md](../../docs/explore.md) says how.\n\n| mutant | mistake | seen in |\n|---|---|---|\n")
		for _, c := range m.byExplore {
			fmt.Fprintf(&b, "| [%s](%s/%s.patch) | %s | %s |\n", c.Name, c.Base, c.Name, cell(c.Mistake), cell(c.SeenIn))
		}
	}
	return b.String()
}
