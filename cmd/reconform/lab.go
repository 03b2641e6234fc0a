package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
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
				return nil, nil, fmt.Errorf("finding the lab of the progress in %s: %w", dir, err)
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
