package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/standing"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/labs"
)

func newLabCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Learn to write a controller, part by part, each judged in seconds",
		Long: `The labs lead from an empty handler to a whole controller. start copies a lab into a
folder of yours, check builds and judges what is there, and says what comes next.

The first check starts a control plane, which stays up in the background for the next
ones. It ends by itself after ten idle minutes, or with reconform lab stop.`,
		Example: `  reconform lab start 01 && cd 01-watch-and-print
  reconform lab check
  reconform lab hint 01`,
		Args: subcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLabListCommand(), newLabStartCommand(), newLabCheckCommand(), newLabWatchCommand(), newLabRunCommand(), newLabHintCommand(),
		newLabSolutionCommand(), newLabResetCommand(), newLabStopCommand(), newLabKeepCommand(),
		newLabGradeCommand(), newLabGradeOneCommand())
	return cmd
}

// labArgument returns the lab that the arguments name, or nil.
func labArgument(args []string) (*lab.Lab, error) {
	if len(args) == 0 {
		return nil, nil
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		return nil, err
	}
	return lab.Find(all, args[0])
}

func labDirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "dir", "", "the `DIR` of your work on the lab; left out: this folder, or the one here of the lab's name")
	complete(cmd, "dir", folders)
}

// workOn finds the student's folder, and the lab: the one that the arguments name, or else
// the one of the folder.
func workOn(dir string, args []string) (*student.Folder, *lab.Lab, error) {
	named, err := labArgument(args)
	if err != nil {
		return nil, nil, err
	}
	candidates := []string{dir}
	if dir == "" {
		candidates = []string{"."}
		if named != nil {
			candidates = []string{named.WorkFolder(), "."}
		}
	}
	for _, dir := range candidates {
		folder, err := student.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if named == nil {
			if named, err = labArgument([]string{folder.Lab}); err != nil {
				return nil, nil, fmt.Errorf("the progress in %s is of no lab: %w", dir, err)
			}
		}
		return folder, named, nil
	}
	return nil, nil, noWork(candidates, named)
}

// noWork says that none of the folders has a student's work on a lab, which folders here have,
// and what to do. The lab is nil if none was named.
func noWork(candidates []string, named *lab.Lab) error {
	number, missing := "01", make([]string, 0, len(candidates))
	if named != nil {
		number = named.Number()
	}
	for _, dir := range candidates {
		switch {
		case dir == ".":
			missing = append(missing, "this folder is not a folder of a lab")
		case isFolder(dir):
			missing = append(missing, dir+" is not a folder of a lab")
		default:
			missing = append(missing, "there is no folder "+dir)
		}
	}
	here := ""
	if started, err := student.Under("."); err == nil && len(started) > 0 {
		var dirs []string
		for _, folder := range started {
			dirs = append(dirs, folder.Dir)
		}
		slices.Sort(dirs)
		here = " (here are " + strings.Join(dirs, ", ") + ")"
	}
	return fmt.Errorf("%s: name the folder of your work by --dir DIR%s, or begin: reconform lab start %s",
		strings.Join(missing, ", and "), here, number)
}

func newLabListCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the labs, and how far you are with each",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := lab.Read(labs.FS)
			if err != nil {
				return err
			}
			if !isFolder(dir) {
				return fmt.Errorf("--dir %s is not a folder", dir)
			}
			progress, err := student.Under(dir)
			if err != nil {
				return err
			}
			listLabs(cmd.OutOrStdout(), all, progress)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the folder `DIR`, which has the folders of your labs")
	complete(cmd, "dir", folders)
	return cmd
}

// listLabs lists the labs by their kinds, in the order in which a student meets them.
func listLabs(out io.Writer, all []*lab.Lab, progress map[string]*student.Folder) {
	for n, group := range []struct {
		kind lab.Kind
		head string
	}{
		{lab.Build, "Build: write the next part of one controller"},
		{lab.Exercise, "Exercise: write the whole controller, by nine criteria"},
		{lab.Debug, "Debug: find the mistake in a whole controller, by a user's complaint"},
		{lab.Predict, "Predict: say what will be measured (reconform lab run)"},
		{lab.Beyond, "Beyond: go on after lab 12, in any order"},
	} {
		if n > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, group.head)
		rows := [][3]string{{"LAB", "TITLE", "PROGRESS"}}
		for _, l := range all {
			if l.Kind == group.kind {
				rows = append(rows, [3]string{l.Number(), l.Title, inStudentsWords(l, progress[l.Folder])})
			}
		}
		listRows(out, rows)
	}
}

// listRows prints a table whose columns are as wide as they must be.
func listRows(out io.Writer, rows [][3]string) {
	numbers, titles := 0, 0
	for _, row := range rows {
		numbers, titles = max(numbers, utf8.RuneCountInString(row[0])), max(titles, utf8.RuneCountInString(row[1]))
	}
	for _, row := range rows {
		line := fmt.Sprintf("  %-*s  %-*s  %s", numbers, row[0], titles, row[1], row[2])
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

func inStudentsWords(l *lab.Lab, folder *student.Folder) string {
	switch {
	case folder == nil:
		return ""
	case folder.Passed != nil:
		return "done"
	case folder.Checks == 0:
		return "started"
	default:
		return fmt.Sprintf("%d of %d", len(folder.Reached), len(l.Asked()))
	}
}

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
			fmt.Fprintf(cmd.OutOrStdout(), "%s is in %s: read README.md there, %s\n\n  reconform lab %s --dir %s\n", l.Title, dir, look, then, sanitize.Word(dir))
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
