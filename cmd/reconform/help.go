package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/internal/report/paragraph"
)

// Cobra keeps the functions of its templates in one map for the whole process, without a
// lock.
func init() {
	cobra.AddTemplateFunc("flagsInWords", flagsInWords)
	cobra.AddTemplateFunc("fitted", func(text string) string { return fitted(text, helpWidth()) })
}

// wrapHelp makes the help of a command and of those below it no wider than the terminal, and
// list each flag with its text wrapped. Cobra's own lists are as wide as the longest text.
func wrapHelp(root *cobra.Command) {
	const usual = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), usual, "{{flagsInWords .LocalFlags}}"))
	root.SetHelpTemplate("{{or .Long .Short | trimTrailingWhitespaces | fitted}}\n\n{{.UsageString | fitted}}")
}

// helpWidth returns how wide the help is: as the terminal, but not wider than usual.
func helpWidth() int { return min(textWidth(os.Stdout), usualWidth) }

// fitted wraps what is too wide in a text. A paragraph is wrapped as a whole, and each line of
// a list by itself.
func fitted(text string, width int) string {
	blocks := strings.Split(text, "\n\n")
	for i, block := range blocks {
		lines := strings.Split(block, "\n")
		indented := func(line string) bool { return strings.HasPrefix(line, " ") }
		tooWide := func(line string) bool { return utf8.RuneCountInString(line) > width }
		switch {
		case !slices.ContainsFunc(lines, tooWide):
		case slices.ContainsFunc(lines, indented):
			for n, line := range lines {
				if tooWide(line) {
					lines[n] = hung(line, width)
				}
			}
			blocks[i] = strings.Join(lines, "\n")
		default:
			blocks[i] = strings.Join(paragraph.Wrap(block, width, "", ""), "\n")
		}
	}
	return strings.Join(blocks, "\n\n")
}

// inColumns matches a line with two columns: a command, and what it is for.
var inColumns = regexp.MustCompile(`^( *\S.*? {2,})(\S.*)$`)

// hung wraps a line of a list. Its second column stays a column if there is room for it.
func hung(line string, width int) string {
	first := inColumns.FindStringSubmatch(line)
	if first == nil {
		return paragraph.Keep(line, width)
	}
	column := utf8.RuneCountInString(first[1])
	if column > width/2 {
		const below = "        "
		return strings.TrimRight(first[1], " ") + "\n" + strings.Join(paragraph.Wrap(first[2], width, below, below), "\n")
	}
	return strings.Join(paragraph.Wrap(first[2], width, first[1], strings.Repeat(" ", column)), "\n")
}

// flagsInWords lists flags: how each is given, what it is for, and its default. What is
// given is named in backquotes. If a text begins with this name, the name is left out
// there: it stands in front.
func flagsInWords(flags *pflag.FlagSet) string {
	width := helpWidth()
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
