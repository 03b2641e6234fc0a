package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/lab/grade"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/labs"
)

// labGradeFlags are the flags for grading a class, and for grading one submission of it.
type labGradeFlags struct {
	lab          string
	thorough     bool
	timeoutScale float64
	unconfined   bool
}

func (f *labGradeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.lab, "lab", "", "grade by the lab `NN`; left out: the one that each folder was started for")
	cmd.Flags().BoolVar(&f.thorough, "thorough", false, "also check what takes longer")
	cmd.Flags().Float64Var(&f.timeoutScale, "timeout-scale", 1, "multiply every time limit by `X`, more on a slow machine")
	cmd.Flags().BoolVar(&f.unconfined, "unconfined", false, "grade also if the machine has no user namespaces: submissions can then do what you can")
}

// again returns the arguments that give these flags to another process.
func (f *labGradeFlags) again() []string {
	flags := []string{
		fmt.Sprintf("--thorough=%t", f.thorough), fmt.Sprintf("--timeout-scale=%g", f.timeoutScale), fmt.Sprintf("--unconfined=%t", f.unconfined),
	}
	if f.lab != "" {
		flags = append(flags, "--lab="+f.lab)
	}
	return flags
}

// launcher returns what starts the submissions.
func (f *labGradeFlags) launcher(ctx context.Context) (*sandbox.Launcher, error) {
	launcher, err := sandbox.NewLauncher(ctx)
	if err == nil && f.unconfined {
		launcher.Unconfine()
	}
	return launcher, err
}

// check checks the flags before anything is started.
func (f *labGradeFlags) check(cmd *cobra.Command) error {
	if err := runner.CheckTimeoutScale(f.timeoutScale); err != nil {
		return err
	}
	if f.lab != "" {
		if _, err := labArgument([]string{f.lab}); err != nil {
			return err
		}
	}
	launcher, err := f.launcher(cmd.Context())
	if err != nil {
		return benchError{err}
	}
	if err := launcher.CheckReplicas(); err != nil && !f.unconfined {
		return benchError{fmt.Errorf("submissions could not be confined: %w (--unconfined grades them nevertheless)", err)}
	}
	for _, missing := range launcher.Isolation() {
		fmt.Fprintf(cmd.ErrOrStderr(), "not isolated on this machine: %s\n", missing)
	}
	return nil
}

var sheetFormats = []string{"markdown", "csv", "json"}

func newLabGradeCommand() *cobra.Command {
	var flags labGradeFlags
	var format, reports string
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "grade DIR…",
		Short: "Grade the work of many students, one after another",
		Long: `Each DIR is what one student has handed in: a folder in which a lab was started, or, with
--lab, any folder with a profile.yaml. It is copied, built and judged in a process of its
own, on a control plane of its own, and confined: what one does to it costs no other one
more than its time limit.

A submission is built without a network and without cgo, by the Go of this machine, with
the modules that are in your module cache.

Exit status: 0 all have reached all, 1 some have not, 2 wrong usage, 3 some could not be
graded.`,
		Example: `  reconform lab grade submissions/*
  reconform lab grade --lab 07 -o csv --reports reports submissions/* > class.csv`,
		Args: some("the folders to grade", "handed-in/*"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if !slices.Contains(sheetFormats, format) {
				return fmt.Errorf("-o %s: must be one of %s", format, strings.Join(sheetFormats, ", "))
			}
			if limit <= 0 {
				return fmt.Errorf("--time-limit must be more than 0, and is %s", limit)
			}
			for _, dir := range dirs {
				if !isFolder(dir) {
					return fmt.Errorf("%s is not a folder", dir)
				}
			}
			if err := flags.check(cmd); err != nil {
				return err
			}
			if reports != "" { // before a class is graded
				if err := grade.WriteReports(reports, nil); err != nil {
					return fmt.Errorf("--reports: %w", err)
				}
			}
			sheet, err := flags.grade(cmd, dirs, limit)
			if err := errors.Join(err, publish(cmd.OutOrStdout(), sheet, format, reports)); err != nil {
				return benchError{err}
			}
			return status(sheet)
		},
	}
	flags.add(cmd)
	cmd.Flags().DurationVar(&limit, "time-limit", 4*time.Minute, "how long each may take, its build included")
	cmd.Flags().StringVarP(&format, "output", "o", "markdown", "`FORMAT` of the table: markdown, csv, json")
	cmd.Flags().StringVar(&reports, "reports", "", "also write a report for each student into the folder `DIR`")
	complete(cmd, "output", cobra.FixedCompletions(sheetFormats, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "reports", folders)
	return cmd
}

// grade grades the submissions in their order, and reports each on standard error.
func (f *labGradeFlags) grade(cmd *cobra.Command, dirs []string, limit time.Duration) (sheet grade.Sheet, err error) {
	work, err := folder.Temporary("grade-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := work.Remove(); err == nil {
			err = failed
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding our own executable: %w", err)
	}
	hidden, err := grade.FoldersToHide(dirs)
	if err != nil {
		return nil, err
	}
	if grade.AnyInGo(dirs) {
		fmt.Fprintln(cmd.ErrOrStderr(), "building a solution first, so that all others build quickly …")
		if err := grade.WarmUp(cmd.Context(), labs.FS, work.Path()); err != nil {
			return nil, err
		}
	}
	class := grade.Class{TimeLimit: limit, Work: work.Path(), Command: func(dir string) []string {
		flags := f.again()
		if len(hidden) > 0 {
			flags = append(flags, "--hidden="+strings.Join(hidden, ":"))
		}
		return append([]string{self, "lab", "grade-one", dir}, flags...)
	}}
	return gradeEach(cmd.Context(), &class, dirs, cmd.ErrOrStderr())
}

// gradeEach grades the submissions in their order, and reports each. If ctx ends, it returns
// those that were graded, and says which were not.
func gradeEach(ctx context.Context, class *grade.Class, dirs []string, progress io.Writer) (sheet grade.Sheet, err error) {
	names := grade.Names(dirs)
	for n, name := range names {
		result, err := class.Grade(ctx, name, dirs[n])
		if err != nil {
			fmt.Fprintf(progress, "not graded: %s\n", strings.Join(names[n:], ", "))
			return sheet, err
		}
		fmt.Fprintf(progress, "%d of %d: %s %s, %d of %d reached, %.1fs\n", n+1, len(dirs), name, result.Outcome, result.Reached, result.Of, result.Seconds)
		sheet = append(sheet, result)
	}
	return sheet, nil
}

// publish writes the table, and then the reports into a folder, if one is named: a full disk
// must not hide the table. It writes nothing if nobody was graded.
func publish(out io.Writer, sheet grade.Sheet, format, reports string) error {
	if len(sheet) == 0 {
		return nil
	}
	err := sheet.Write(out, format)
	if reports != "" {
		err = errors.Join(err, grade.WriteReports(reports, sheet))
	}
	return err
}

// status returns the exit status, which tells a script how it went.
func status(sheet grade.Sheet) error {
	code := statusOK
	for _, r := range sheet {
		if r.Outcome == grade.Broken {
			return statusError(statusInconclusive)
		}
		if !r.All() {
			code = 1
		}
	}
	if code != statusOK {
		return statusError(code)
	}
	return nil
}
