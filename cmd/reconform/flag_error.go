package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/internal/profile/nearest"
)

// flagError says in our words what is wrong with a flag: which one was meant, or what its
// value may be.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		meant := nearest.Question(unknown.GetSpecifiedName(), flagNames(cmd))
		err = fmt.Errorf("%w%s", err, strings.Replace(meant, `"`, `"--`, 1))
	case errors.As(err, &invalid):
		if allowed := valuesOf(invalid.GetFlag()); allowed != "" {
			err = fmt.Errorf("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), allowed)
		}
	}
	return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
}

// flagNames returns the names of a command's flags.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	return names
}

// valuesOf says what a flag takes, or "" if its own error says it.
func valuesOf(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "duration":
		return "a time, as in 90s or 5m"
	case "int", "int64", "uint64":
		return "a whole number"
	case "float64":
		return "a number, as in 1.5"
	case "bool":
		return "true or false"
	default:
		return ""
	}
}
