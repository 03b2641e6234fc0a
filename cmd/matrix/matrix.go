package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// matrix is the result.
type matrix struct {
	findings []finding
	sound    []*sound
	// leftOut are the mutants that are not in the fast half.
	leftOut []string
	// elsewhere are the mutants that show only on a cluster with nodes, if this run has
	// no such cluster.
	elsewhere []candidate
	// byExplore are the mutants that only an exploration finds, if this run does not explore.
	byExplore []candidate
	explored  []exploration
	all       bool
	// took is the time for the mutants, soundTook the time for the sound controllers.
	took, soundTook time.Duration
	// tookBefore is the time of the last whole matrix, in words, if this one is a part of it.
	tookBefore string
}

// proving is a running matrix.
type proving struct {
	flags        *flags
	requirements []catalogue.Requirement
	console      *report.Console
	reportDir    string
	// runAll and run are the functions of the runner.
	runAll func(context.Context, []*runner.Implementation, runner.Options) (map[string][]v1alpha1.Result, error)
	run    func(context.Context, *runner.Plan, runner.Options) (*v1alpha1.ConformanceReport, error)
	// explore explores a mutant, and writes its report into a folder.
	explore func(context.Context, candidate, string) (*v1alpha1.ExploreReport, error)
}

// prove runs what the arguments ask for, and tells whether every mutant was killed and no
// sound controller was accused.
func prove(ctx context.Context, args []string, stdout, stderr io.Writer) (bool, error) {
	f, err := parseFlags(args, stderr)
	if f == nil {
		return true, err
	}
	mutants, err := mutant.Load(f.root)
	if err != nil {
		return false, err
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		return false, err
	}
	p := &proving{flags: f, requirements: requirements, runAll: runner.RunAll, run: runner.Run}
	p.explore = p.exploreByCommand
	if p.reportDir, err = filepath.Abs(f.reportDir); err != nil {
		return false, fmt.Errorf("finding %s: %w", f.reportDir, err)
	}
	m := &matrix{all: f.all}
	var chosen []candidate
	if f.only != onlySound {
		if chosen, err = p.choose(m, mutants); err != nil {
			return false, err
		}
	}
	if f.all && f.only != onlyMutants {
		m.sound = readSound(f.root, f.selects)
	}
	if len(chosen)+len(m.sound) == 0 && len(m.elsewhere) > 0 {
		return false, fmt.Errorf("-run %s selects mutants that only a cluster with nodes shows: -kubeconfig FILE -in-cluster", f.run)
	}
	if len(chosen)+len(m.sound) == 0 && len(m.byExplore) > 0 && f.explore == 0 {
		return false, fmt.Errorf("-run %s selects mutants that only an exploration finds: -explore 5m", f.run)
	}
	if len(chosen)+len(m.sound)+len(m.byExplore) == 0 {
		return false, fmt.Errorf("-run %s selects nothing; there are mutants such as %s", f.run, mutants[0].Name)
	}
	held, err := folder.Hold(p.reportDir)
	if err != nil {
		return false, fmt.Errorf("-report-dir: %w", err)
	}
	defer held.Release()
	p.console = report.NewConsole(stderr)
	defer p.console.Close()
	if err := p.fill(ctx, m, chosen); err != nil {
		return false, benchError{err}
	}
	if err := p.write(m); err != nil {
		return false, benchError{err}
	}
	m.print(stdout)
	return m.proved(), nil
}

// choose finds the mutants to run. It notes those that are left out because they are not in
// the fast half, or because they need nodes.
func (p *proving) choose(m *matrix, mutants []mutant.Mutant) (chosen []candidate, err error) {
	selected := slices.DeleteFunc(slices.Clone(mutants), func(m mutant.Mutant) bool { return !p.flags.selects(m.Name) })
	if !p.flags.all && p.flags.pattern == nil {
		var others []mutant.Mutant
		selected, others = mutant.FastHalf(selected, p.requirements)
		for _, other := range others {
			m.leftOut = append(m.leftOut, other.Name)
		}
	}
	candidates, err := readCandidates(p.flags.root, selected, p.requirements)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates {
		if c.ByExplore() {
			m.byExplore = append(m.byExplore, c)
			continue
		}
		if c.requirement.Nodes && !p.flags.inCluster {
			m.elsewhere = append(m.elsewhere, c)
			continue
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}

// The folders for a matrix's histories in the report directory.
const (
	mutantsDir = "sessions"
	soundDir   = "sound"
)

// fill runs the mutants, and then the sound controllers.
func (p *proving) fill(ctx context.Context, m *matrix, chosen []candidate) error {
	for _, name := range []string{mutantsDir, soundDir, exploredDir} {
		if err := os.RemoveAll(filepath.Join(p.reportDir, name)); err != nil {
			return fmt.Errorf("removing an earlier matrix: %w", err)
		}
	}
	began := time.Now()
	all, err := sessions(chosen)
	if err != nil {
		return err
	}
	if len(m.leftOut) > 0 {
		p.console.Printf("the fast half: %d mutants; these are left to -all: %s", len(chosen), strings.Join(m.leftOut, ", "))
	}
	if m.findings, err = p.judgeAll(ctx, "control plane", all); err != nil {
		return err
	}
	if err := p.lookAgain(ctx, m); err != nil {
		return err
	}
	if p.flags.explore > 0 {
		if err := p.exploreAll(ctx, m, chosen); err != nil {
			return err
		}
	}
	m.took, began = time.Since(began), time.Now()
	defer func() { m.soundTook = time.Since(began) }()
	for _, s := range m.sound {
		if s.missing != nil {
			p.console.Printf("\n%s is left out: %v", s.name, s.missing)
			continue
		}
		p.console.Printf("\nsound controller %s, against everything", s.name)
		if err := p.judgeSound(ctx, s); err != nil {
			return fmt.Errorf("running %s: %w", s.name, err)
		}
	}
	return nil
}

// judgeAll runs the mutants of all sessions, one session after the other. what names a
// session on the console.
func (p *proving) judgeAll(ctx context.Context, what string, all []*session) ([]finding, error) {
	var findings []finding
	for i, s := range all {
		p.console.Printf("\n%s %d of %d, mutants: %s", what, i+1, len(all), strings.Join(s.names(), ", "))
		found, err := p.judge(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("running the mutants of %s: %w", s.name, err)
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// judge runs the mutants of one session.
func (p *proving) judge(ctx context.Context, s *session) ([]finding, error) {
	dir := filepath.Join(p.reportDir, mutantsDir, s.name)
	options, err := p.options(dir)
	if err != nil {
		return nil, err
	}
	if s.whole {
		c := s.candidates[0]
		options.Profile, options.ProfileArgument = c.profile, c.file
		report, err := p.everything(ctx, options)
		if err != nil {
			return nil, err
		}
		return []finding{judge(c, report.Results, dir)}, nil
	}
	if options.Parallel == 0 {
		options.Parallel = s.parallel
	}
	var implementations []*runner.Implementation
	for _, c := range s.candidates {
		i, err := c.implementation(p.requirements)
		if err != nil {
			return nil, err
		}
		implementations = append(implementations, i)
	}
	results, err := p.runAll(ctx, implementations, options)
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, c := range s.candidates {
		f := judge(c, results[c.Name], dir)
		p.console.Printf("  %s %s: %s", f.verdict, f.Name, brief(f.reason))
		findings = append(findings, f)
	}
	return findings, nil
}

// judgeSound runs a sound controller.
func (p *proving) judgeSound(ctx context.Context, s *sound) error {
	s.dir = filepath.Join(p.reportDir, soundDir, s.name)
	options, err := p.options(s.dir)
	if err != nil {
		return err
	}
	options.Profile, options.ProfileArgument = s.profile, s.name
	report, err := p.everything(ctx, options)
	if err != nil {
		return err
	}
	s.take(report)
	return nil
}

// everything runs all requirements.
func (p *proving) everything(ctx context.Context, options runner.Options) (*v1alpha1.ConformanceReport, error) {
	plan, err := runner.NewPlan(options.Profile, p.requirements)
	if err != nil {
		return nil, err
	}
	report, err := p.run(ctx, plan, options)
	switch {
	case err == nil && report == nil:
		err = errors.New("there is no report")
	case err == nil && report.CutShort != nil:
		err = ctx.Err()
	}
	return report, err
}

// options returns the options of a run that writes its history to dir.
func (p *proving) options(dir string) (runner.Options, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return runner.Options{}, fmt.Errorf("making the folder %s: %w", dir, err)
	}
	return runner.Options{
		Parallel: p.flags.parallel, Repeat: 1, TimeoutScale: 1, ReportDir: dir, Console: p.console, Version: "devel",
		Kubeconfig: p.flags.kubeconfig, Context: p.flags.context, InCluster: p.flags.inCluster, Kubernetes: p.flags.kubernetes,
	}, nil
}

// names returns the names of the session's mutants.
func (s *session) names() []string {
	var names []string
	for _, c := range s.candidates {
		names = append(names, c.Name)
	}
	return names
}
