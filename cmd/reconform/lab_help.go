package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

func newLabHintCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "hint [NN]",
		Short: "The next of three hints: where to look, what is missing, almost the code",
		Args:  atMostOne("a lab"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, l, err := workOn(dir, args)
			if err != nil {
				return err
			}
			hints := l.HintsFor(folder.Language)
			if len(hints) == 0 {
				return fmt.Errorf("%s has no hints", l.Folder)
			}
			n := min(folder.Hints, len(hints)-1)
			hint := hints[n]
			fmt.Fprintf(cmd.OutOrStdout(), "hint %d of %d, %s in %s:\n  %s\n", n+1, len(hints), hint.Symbol, hint.File, hint.Text)
			folder.Hints = n + 1
			return folder.Save()
		},
	}
	labDirFlag(cmd, &dir)
	return cmd
}

// labSolutionFlags say which solution is shown, and how.
type labSolutionFlags struct {
	dir, language    string
	yes, print, diff bool
}

func newLabSolutionCommand() *cobra.Command {
	var flags labSolutionFlags
	cmd := &cobra.Command{
		Use:   "solution [NN]",
		Short: "Show how the solution of a lab differs from its start; asks first",
		Long: `Show the files in which the solution of a lab differs from its start, or with --diff the
lines. It is the solution of the lab that your folder is for, and you are asked first.

With --print you need no folder, and are not asked: it shows the solution of the lab
that you name.`,
		Example: `  reconform lab solution
  reconform lab solution 03 --print --diff`,
		Args: atMostOne("a lab"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.print {
				named, err := labArgument(args)
				if err != nil {
					return err
				}
				return flags.show(cmd, named)
			}
			if cmd.Flags().Changed("language") {
				return errors.New("--language needs --print: without it, the solution is in the language of your folder")
			}
			return flags.ask(cmd, args)
		},
	}
	labDirFlag(cmd, &flags.dir)
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&flags.print, "print", false, "show the solution of the lab NN without a folder of yours, and do not ask")
	cmd.Flags().BoolVar(&flags.diff, "diff", false, "show the lines that differ from the start")
	cmd.Flags().StringVar(&flags.language, "language", steps.Go().Name, "with --print, `NAME` of the language: go or node")
	cmd.MarkFlagsMutuallyExclusive("print", "dir")
	cmd.MarkFlagsMutuallyExclusive("print", "yes")
	return cmd
}

// ask asks a student who has a folder, shows the solution, and notes that it was shown.
func (f *labSolutionFlags) ask(cmd *cobra.Command, args []string) error {
	folder, l, err := workOn(f.dir, args)
	if err != nil {
		return err
	}
	if err := hasSolution(l); err != nil {
		return err
	}
	if !f.yes {
		fmt.Fprintf(cmd.OutOrStdout(), "You have seen %d of %d hints. Show the solution of %s? [y/N] ",
			folder.Hints, len(l.HintsFor(folder.Language)), l.Folder)
		answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
			return nil
		}
	}
	if err := f.printSolution(cmd.OutOrStdout(), l, folder.Language); err != nil {
		return err
	}
	folder.Shown = true
	return folder.Save()
}

// show shows the solution of a lab without a student's folder.
func (f *labSolutionFlags) show(cmd *cobra.Command, l *lab.Lab) error {
	if l == nil {
		return errors.New("--print needs the number of a lab, as in: reconform lab solution 03 --print (reconform lab list shows all)")
	}
	if err := hasSolution(l); err != nil {
		return err
	}
	language, err := startIn(l, f.language)
	if err != nil {
		return err
	}
	return f.printSolution(cmd.OutOrStdout(), l, language.Folder(""))
}

// hasSolution returns an error if the lab does not have a solution.
func hasSolution(l *lab.Lab) error {
	if l.Kind == lab.Exercise {
		return fmt.Errorf("%s has no solution of its own: the labs from 01 on have one for each part, as in reconform lab solution 03 --print", l.Folder)
	}
	return refusePrediction(l)
}

// printSolution prints what differs between the start and the solution: whole files, or
// only the lines.
func (f *labSolutionFlags) printSolution(out io.Writer, l *lab.Lab, language string) error {
	start, err := student.Files(labs.FS, l.Folder, path.Join(language, "start"))
	if err != nil {
		return err
	}
	solution, err := student.Files(labs.FS, l.Folder, path.Join(language, "solution"))
	if err != nil {
		return err
	}
	if l.Mistake != "" {
		fmt.Fprintf(out, "The mistake: %s\n", l.Mistake)
	}
	for _, name := range slices.Sorted(maps.Keys(solution)) {
		switch {
		case solution[name] == start[name]:
		case f.diff:
			err := difflib.WriteUnifiedDiff(out, difflib.UnifiedDiff{
				A: slices.Collect(strings.Lines(start[name])), B: slices.Collect(strings.Lines(solution[name])),
				FromFile: "start/" + name, ToFile: "solution/" + name, Context: 3,
			})
			if err != nil {
				return fmt.Errorf("comparing %s: %w", name, err)
			}
		default:
			fmt.Fprintf(out, "\n==> %s <==\n%s", name, solution[name])
		}
	}
	return nil
}
