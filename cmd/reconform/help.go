package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/internal/report/paragraph"
)

// Cobra keeps the functions of its templates in one map for the whole process, without a
// lock.
func init() { cobra.AddTemplateFunc("flagsInWords", flagsInWords) }

// wrapHelp makes the help of a command and of those below it list each flag with its text
// wrapped. Cobra's own lists are as wide as the longest text.
func wrapHelp(root *cobra.Command) {
	const usual = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), usual, "{{flagsInWords .LocalFlags}}"))
}

// flagsInWords lists flags: how each is given, what it is for, and its default. What is
// given is named in backquotes. If a text begins with this name, the name is left out
// there: it stands in front.
func flagsInWords(flags *pflag.FlagSet) string {
	width := min(textWidth(os.Stdout), usualWidth)
	const indent = "          "
	var lines []string
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		name, text := pflag.UnquoteUsage(flag)
		given := "      --" + flag.Name
		if flag.Shorthand != "" {
			given = "  -" + flag.Shorthand + ", --" + flag.Name
		}
		if name != "" {
			given += " " + name
			text = strings.TrimPrefix(text, name+" ")
		}
		if value := flag.DefValue; value != "" && value != "false" && value != "[]" && value != "0" && value != "0s" {
			text += fmt.Sprintf(" (default %s)", value)
		}
		lines = append(lines, given)
		lines = append(lines, paragraph.Wrap(text, width, indent, indent)...)
	})
	return strings.Join(lines, "\n")
}
