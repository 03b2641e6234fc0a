package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/standing"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/labs"
)

func newLabStartCommand() *cobra.Command {
	var dir, in string
	cmd := &cobra.Command{
		Use:   "start NN",
		Short: "Copy the start of a lab into a folder of yours",
		Long: `Copy the start of a lab into a folder of yours. It has the solution of the lab before,
and gaps. The start of hands-on is a project without a controller.

The first labs have a start in JavaScript, too (--language node). Any other language
will do: the check knows nothing but profile.yaml, which says how to start yours.`,
		Args: one("the number of a lab, or its name", "03"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := labArgument(args)
			if err != nil {
				return err
			}
			language, err := startIn(l, in)
			if err != nil {
				return err
			}
			if dir == "" {
				dir = l.WorkFolder()
			}
			if _, err := student.Start(labs.FS, l.Folder, language, dir); err != nil {
				return err
			}
			look, then := "look for TODO(lab), and then", "check"
			switch l.Kind {
			case lab.Debug:
				look = "and begin with what is found:"
			case lab.Exercise:
				look = "write it, and then"
			case lab.Predict:
				look, then = "answer in "+student.AnswerFile+", and then", "run"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Lab %s (%s) is in %s: read README.md there, %s\n\n  reconform lab %s --dir %s\n", l.Number(), l.Title, dir, look, then, sanitize.Word(dir))
			return nil
		},
	}
	labDirFlag(cmd, &dir)
	cmd.Flags().StringVar(&in, "language", steps.Go().Name, "`NAME` of the language of the start: go or node")
	return cmd
}

// startIn returns the language with a name. The lab must have a start in it.
func startIn(l *lab.Lab, name string) (steps.Language, error) {
	for _, language := range steps.Languages() {
		if language.Name != name {
			continue
		}
		if name == steps.Go().Name {
			return language, nil
		}
		if l.Kind == lab.Predict {
			return language, fmt.Errorf("%s is to be predicted, and nothing is written in a language: leave out --language", l.Folder)
		}
		_, err := steps.Files(labs.FS, path.Join(l.Folder, language.Folder("start")))
		if errors.Is(err, fs.ErrNotExist) {
			return language, fmt.Errorf("%s has no start in %s, only labs 01 to %02d have: go on in the folder that you have, check it with "+
				"reconform lab check %s --dir DIR, and take what profile.yaml and rbac.yaml must say from a start in go",
				l.Folder, name, language.Last, l.Number())
		}
		return language, err
	}
	return steps.Language{}, fmt.Errorf("--language %s is neither go nor node: start in one of these, write what you like, "+
		"and say in profile.yaml how it is started", name)
}

func newLabStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the control plane that checks leave up",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := standing.Stop(cmd.Context(), standing.NewDoor()); err != nil {
				return benchError{err}
			}
			return nil
		},
	}
}

func newLabResetCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Begin a lab anew; what you have written is put aside",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			folder, _, err := workOn(dir, nil)
			if err != nil {
				return err
			}
			moved, err := folder.Reset(labs.FS)
			if err != nil {
				return err
			}
			if moved != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "what you have written is in %s\n", filepath.Base(moved))
			}
			return nil
		},
	}
	labDirFlag(cmd, &dir)
	return cmd
}
