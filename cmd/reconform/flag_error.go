package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/record/sanitize"
)

// flagError says in our words what is wrong with a flag: which one was meant, or what its
// value may be.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var twice twiceError
	var empty emptyError
	var tilde tildeError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedName() == "profile" && cmd.Name() == "validate":
		err = fmt.Errorf("%w; give the profile without a flag, as in: reconform validate mine.yaml", err)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		meant := nearest.Question(unknown.GetSpecifiedName(), flagNames(cmd))
		err = fmt.Errorf("%w%s", err, strings.Replace(meant, `"`, `"--`, 1))
	case errors.As(err, &invalid) && errors.As(err, &twice):
		err = fmt.Errorf("--%s is given twice, as %s and as %s: give it once", invalid.GetFlag().Name, sanitize.Word(twice.first), sanitize.Word(invalid.GetValue()))
	case errors.As(err, &invalid) && errors.As(err, &empty):
		err = fmt.Errorf("--%s is empty; give a value, or leave the flag out", invalid.GetFlag().Name)
	case errors.As(err, &invalid) && errors.As(err, &tilde):
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, tilde)
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
		if allowed := valuesOf(invalid.GetFlag()); allowed != "" {
			err = fmt.Errorf("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), allowed)
		}
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
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

// valuesOf says which values a flag accepts, or "" if its own error says it.
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

// once is a flag that has one text. Given twice, the first one would be ignored. An empty
// one is mostly a variable of a script that is not set: its default would be taken, such
// as the reference in place of the profile that was meant.
type once struct {
	pflag.Value
	given bool
}

// twiceError says that a flag was given before, with this value.
type twiceError struct{ first string }

func (e twiceError) Error() string { return "it is given twice" }

// emptyError says that a flag was given without a text.
type emptyError struct{}

func (emptyError) Error() string { return "it is empty" }

// tildeError says that a path begins with a ~ that the shell did not replace: there would be
// a folder of that name.
type tildeError struct{ below string }

func (e tildeError) Error() string {
	return fmt.Sprintf("~/%s: the shell does not replace ~ behind = or in quotes: write $HOME/%[1]s", e.below)
}

// wrong says what no text of a flag or of an argument may be.
func wrong(value string) error {
	if value == "" {
		return emptyError{}
	}
	if below, found := strings.CutPrefix(value, "~/"); found {
		return tildeError{below}
	}
	return nil
}

func (o *once) Set(value string) error {
	if err := wrong(value); err != nil {
		return err
	}
	if o.given {
		return twiceError{o.String()}
	}
	o.given = true
	return o.Value.Set(value)
}

// noneOfThemEmpty is a flag that may be given several times. An empty text would be passed over,
// or taken for the folder of the profile.
type noneOfThemEmpty struct{ pflag.Value }

func (n noneOfThemEmpty) Set(value string) error {
	if err := wrong(value); err != nil {
		return err
	}
	return n.Value.Set(value)
}

// eachOnce makes the flags of a command, and of those below it, that have one text refuse a
// second one, and an empty one. Those that may be given several times refuse an empty one.
func eachOnce(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		switch flag.Value.Type() {
		case "string":
			flag.Value = &once{Value: flag.Value}
		case "stringArray":
			flag.Value = noneOfThemEmpty{flag.Value}
		}
	})
	for _, below := range cmd.Commands() {
		eachOnce(below)
	}
}

// aboveZero says that a flag was given as 0, which stands for its default, or as less.
func aboveZero(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		flag := cmd.Flags().Lookup(name)
		if value := flag.Value.String(); flag.Changed && (value == "0" || value == "0s" || strings.HasPrefix(value, "-")) {
			return fmt.Errorf("--%s is %s; give more, or leave it out", name, value)
		}
	}
	return nil
}

// notEmpty says that a flag which chooses some was given without any: all would be taken.
func notEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "[]" {
			return fmt.Errorf("--%s is empty; name some, or leave it out to have all", name)
		}
	}
	return nil
}
