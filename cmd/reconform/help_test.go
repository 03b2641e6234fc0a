package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestFitted: a paragraph is wrapped as a whole, each line of a list by itself, and what is
// narrow enough stays as it is.
func TestFitted(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"narrow":      {"One line\nand another\n\n  a   list", "One line\nand another\n\n  a   list"},
		"a paragraph": {"A paragraph that is wide\nand goes on\n\nshort", "A paragraph that is\nwide and goes on\n\nshort"},
		"columns":     {"List:\n  a   what it is for, at length\n  b   short", "List:\n  a   what it is\n      for, at length\n  b   short"},
		"a wide first column": {
			"  run --profile mine   all of it", "  run --profile mine\n        all of it",
		},
		"one column": {"List:\n  run --profile mine SH-001", "List:\n  run --profile mine\n    SH-001"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, fitted(tc.text, 20)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestHelpFits: on a terminal of 80 columns, no help is wrapped in the middle of a word.
func TestHelpFits(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		text := fitted(cmd.Long, 80) + "\n\n" + fitted(cmd.UsageString(), 80)
		text, _, _ = strings.Cut(text, "\nFlags:") // they are as wide as the terminal
		for line := range strings.SplitSeq(text, "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: this line is wider than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newCommand())
}
