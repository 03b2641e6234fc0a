package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

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
