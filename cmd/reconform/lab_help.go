package main

import (
	"bufio"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

func newLabHintCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "hint [NN]",
		Short: "The next of three hints: where to look, what is missing, almost the code",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := labArgument(args)
			if err != nil {
				return err
			}
			folder, l, err := workOn(dir, named)
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

func newLabSolutionCommand() *cobra.Command {
	var dir string
	var yes bool
	cmd := &cobra.Command{
		Use:   "solution [NN]",
		Short: "Show what the solution of a lab does otherwise than its start; asks first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := labArgument(args)
			if err != nil {
				return err
			}
			folder, l, err := workOn(dir, named)
			if err != nil {
				return err
			}
			if err := notToBeBuilt(l); err != nil {
				return err
			}
			if !yes {
				fmt.Fprintf(cmd.OutOrStdout(), "You have seen %d of %d hints. Show the solution of %s? [y/N] ",
					folder.Hints, len(l.HintsFor(folder.Language)), l.Folder)
				answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
				if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
					return nil
				}
			}
			if err := printSolution(cmd, l, folder.Language); err != nil {
				return err
			}
			folder.Shown = true
			return folder.Save()
		},
	}
	labDirFlag(cmd, &dir)
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// printSolution prints the files of the solution that differ from the start's.
func printSolution(cmd *cobra.Command, l *lab.Lab, language string) error {
	if l.Mistake != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "The mistake: %s\n", l.Mistake)
	}
	start, err := student.Files(labs.FS, l.Folder, path.Join(language, "start"))
	if err != nil {
		return err
	}
	solution, err := student.Files(labs.FS, l.Folder, path.Join(language, "solution"))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(solution)) {
		if solution[name] != start[name] {
			fmt.Fprintf(cmd.OutOrStdout(), "\n==> %s <==\n%s", name, solution[name])
		}
	}
	return nil
}
