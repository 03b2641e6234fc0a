package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// soak is a series of runs.
type soak struct {
	profile string
	dir     string
	out     io.Writer
}

// run carries out the runs one after the other, and returns how many verdicts were neither
// passed nor skipped.
func (s *soak) run(ctx context.Context, runs int, seed uint64) (findings int, err error) {
	p, err := profile.Resolve(s.profile)
	if err != nil {
		return 0, err
	}
	if err := p.CheckFiles(); err != nil {
		return 0, err
	}
	all, err := catalogue.Embedded()
	if err != nil {
		return 0, err
	}
	plan, err := runner.NewPlan(p, all)
	if err != nil {
		return 0, err
	}
	held, err := folder.Hold(s.dir)
	if err != nil {
		return 0, err
	}
	defer held.Release()
	verdicts, again := 0, 0
	for i := range runs {
		seed := seed + uint64(i)
		began := time.Now()
		dir, err := filepath.Abs(filepath.Join(s.dir, fmt.Sprintf("seed-%d", seed)))
		if err != nil {
			return findings, fmt.Errorf("finding %s: %w", s.dir, err)
		}
		report, loaders, err := s.once(ctx, p, plan, dir, seed)
		if err != nil {
			return findings, fmt.Errorf("run %d with seed %d: %w", i+1, seed, err)
		}
		found := verdict.NotPassed(report.Results)
		fmt.Fprintf(s.out, "run %d of %d, seed %d, %d busy processes, %s: %d passed, %d failed, %d inconclusive, %d skipped\n",
			i+1, runs, seed, loaders, time.Since(began).Round(time.Second),
			report.Summary.Passed, report.Summary.Failed, report.Summary.Inconclusive, report.Summary.Skipped)
		for _, result := range found {
			fmt.Fprintf(s.out, "  %s %s: %s\n", result.Verdict, result.ID, result.Reason)
		}
		looks := 0
		for _, result := range report.Results {
			if result.FirstLook != "" {
				fmt.Fprintf(s.out, "  a second look at %s: %s; at first %s\n", result.ID, result.Verdict, result.FirstLook)
				looks++
			}
		}
		if len(found)+looks > 0 {
			fmt.Fprintf(s.out, "  kept: %s\n", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			return findings, fmt.Errorf("removing the reports of a clean run: %w", err)
		}
		findings += len(found)
		again += looks
		verdicts += len(report.Results) - report.Summary.Skipped
	}
	fmt.Fprintf(s.out, "%d runs, %d verdicts, %d neither passed nor skipped, %d at a second look\n", runs, verdicts, findings, again)
	return findings, nil
}

// once carries out one run. Its order and its load depend on the seed.
func (s *soak) once(ctx context.Context, p *profile.Profile, plan *runner.Plan, dir string, seed uint64) (
	_ *v1alpha1.ConformanceReport, loaders int, err error,
) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, 0, fmt.Errorf("making the folder of the reports: %w", err)
	}
	said, err := os.Create(filepath.Join(dir, "console.log"))
	if err != nil {
		return nil, 0, fmt.Errorf("making the file for the run's output: %w", err)
	}
	defer func() { err = errors.Join(err, said.Close()) }()
	screen := report.NewConsole(said)
	defer screen.Close()

	random := rand.New(rand.NewPCG(seed, 0))
	loaders = random.IntN(2*runtime.NumCPU() + 1)
	stop, err := startLoad(ctx, random, loaders)
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	report, err := runner.Run(ctx, plan, runner.Options{
		Profile: p, ProfileArgument: s.profile, Repeat: 1, TimeoutScale: 1, Shuffle: random,
		ReportDir: dir, Console: screen, Version: "soak",
	})
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return report, loaders, err
}
