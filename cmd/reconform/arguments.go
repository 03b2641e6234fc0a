package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/profile/nearest"
)

// none refuses every argument.
func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: %s takes none; see %[2]s --help", args[0], cmd.CommandPath())
	}
	return nil
}

// subcommands asks for the name of a command of the group, or for nothing.
func subcommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, one := range cmd.Commands() {
		if !one.Hidden {
			names = append(names, one.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %s%s; see %[2]s --help", args[0], cmd.CommandPath(), nearest.Question(args[0], names))
}

// one asks for exactly one argument. The example says what it may be.
func one(what, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return missing(cmd, what, example)
		case len(args) > 1:
			return fmt.Errorf("unexpected argument %q: %s takes one, %s", args[1], cmd.CommandPath(), what)
		}
		return nil
	}
}

// some asks for one argument or more.
func some(what, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return missing(cmd, what, example)
		}
		return nil
	}
}

// atMostOne allows one argument.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("unexpected argument %q: %s takes at most one, %s", args[1], cmd.CommandPath(), what)
		}
		return nil
	}
}

// noneEmpty makes a command, and those below it, refuse an argument that is empty: mostly a
// variable of a script that is not set. It also refuses a ~ that the shell did not replace.
// What follows a program after -- is the program's.
func noneEmpty(cmd *cobra.Command) {
	rest := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		ours := args
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			ours = args[:min(dash+1, len(args))]
		}
		for _, arg := range ours {
			if err := wrong(arg); errors.Is(err, emptyError{}) {
				return fmt.Errorf("an argument of %s is empty; see %[1]s --help", cmd.CommandPath())
			} else if err != nil {
				return err
			}
		}
		if rest == nil {
			return nil
		}
		return rest(cmd, args)
	}
	for _, below := range cmd.Commands() {
		noneEmpty(below)
	}
}

func missing(cmd *cobra.Command, what, example string) error {
	return fmt.Errorf("give %s, as in: %s %s", what, cmd.CommandPath(), strings.TrimSpace(example))
}

// isFolder tells whether there is a folder at a path.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// checkFolderOf returns an error if no file can be made where path says.
func checkFolderOf(path string) error {
	dir := filepath.Dir(path)
	if !isFolder(dir) {
		return fmt.Errorf("there is no folder %s", dir)
	}
	probe, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("nothing can be written to its folder: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
