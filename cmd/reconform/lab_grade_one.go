package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/grade"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

// newLabGradeOneCommand is the command of the process that grades one submission.
func newLabGradeOneCommand() *cobra.Command {
	var flags labGradeFlags
	var hidden string
	cmd := &cobra.Command{
		Use:    "grade-one DIR",
		Short:  "Grade one submission, and write the result as JSON",
		Args:   one("the folder to grade", "handed-in/ada"),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return benchError{err}
			}
			result, err := flags.one(cmd.Context(), dir, filepath.SplitList(hidden))
			if err != nil {
				return benchError{err}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&hidden, "hidden", "", "folders that it must not see, separated by colons")
	return cmd
}

func (f *labGradeFlags) one(ctx context.Context, dir string, hidden []string) (_ *grade.Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the process that grades the class is gone
		cancel()
	}()
	work, err := folder.Temporary("one-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := work.Remove(); err == nil {
			err = failed
		}
	}()
	launcher, err := f.launcher(ctx)
	if err != nil {
		return nil, err
	}
	options := grade.Options{
		Work: work.Path(), Labs: labs.FS, Hidden: hidden, Launcher: launcher, Find: startedFor,
		Thorough: f.thorough, TimeoutScale: f.timeoutScale,
		Tell: func(out io.Writer, l *lab.Lab, findings []check.Finding) { tell(out, l, languageIn(dir), findings) },
	}
	if f.lab != "" {
		if options.Lab, err = labArgument([]string{f.lab}); err != nil {
			return nil, err
		}
	}
	result, err := grade.One(ctx, dir, options)
	if err != nil {
		return nil, fmt.Errorf("grading: %w", err)
	}
	return result, nil
}

// languageIn returns the language in which the work in a folder was started; an empty one
// means Go.
func languageIn(dir string) string {
	work, err := student.Open(dir)
	if err != nil {
		return "" // It is not a folder of a lab.
	}
	return work.Language
}

// startedFor returns the lab that a folder was started for.
func startedFor(dir string) (*lab.Lab, error) {
	work, err := student.Open(dir)
	if err != nil {
		return nil, err
	}
	return labArgument([]string{work.Lab})
}
