package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/kyverno/chainsaw/pkg/loaders/config"
	"github.com/spf13/cobra"
)

// TestTable: no line is wider than the terminal. Without a terminal each requirement has one
// line, with a sentence that is cut, unless all is wanted.
func TestTable(t *testing.T) {
	sentence := "A deleted Deployment comes back, with all that it had before, and nobody waits for it."
	rows := []listed{{"SH-001", "self-healing", "core", "yes", sentence}, {"RC-001", "reconcile", "defaults", "no", "It is short."}}
	for name, tc := range map[string]struct {
		width int
		all   bool
		want  string
		short bool
	}{
		"a wide terminal": {100, false, `ID      AREA          APPLIES TO  CLAIMED  MUST
SH-001  self-healing  core        yes      A deleted Deployment comes back, with all that it had
                                           before, and nobody waits for it.
RC-001  reconcile     defaults    no       It is short.
`, false},
		"a narrow terminal": {60, false, `ID      AREA          APPLIES TO  CLAIMED
        MUST
SH-001  self-healing  core        yes
        A deleted Deployment comes back, with all that it
        had before, and nobody waits for it.
RC-001  reconcile     defaults    no
        It is short.
`, false},
		"a very narrow terminal": {30, false, `ID      AREA          APPLIES…
        MUST
SH-001  self-healing  core…
        A deleted Deployment
        comes back, with all
        that it had before,
        and nobody waits for
        it.
RC-001  reconcile…
        It is short.
`, false},
		"no terminal": {0, false, `ID      AREA          APPLIES TO  CLAIMED  MUST
SH-001  self-healing  core        yes      A deleted Deployment comes back, with all that it…
RC-001  reconcile     defaults    no       It is short.
`, true},
		"all": {60, true, `ID      AREA          APPLIES TO  CLAIMED  MUST
SH-001  self-healing  core        yes      ` + sentence + `
RC-001  reconcile     defaults    no       It is short.
`, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			short, err := writeTable(&out, rows, tc.width, tc.all)
			if diff := cmp.Diff(tc.want, out.String()); diff != "" || short != tc.short || err != nil {
				t.Errorf("cut: %v, %v (-want +got):\n%s", short, err, diff)
			}
		})
	}
}

// TestHelp: no help text has the same word twice in a row, or is wider than a screen.
// The help of a command that acts explains its exit status.
func TestHelp(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		help := flagsInWords(cmd.LocalFlags())
		words := strings.Fields(help)
		for i, word := range words[min(1, len(words)):] {
			if word == words[i] {
				t.Errorf("%s --help has %q twice in a row", cmd.CommandPath(), word)
			}
		}
		for line := range strings.Lines(help) {
			if utf8.RuneCountInString(line) > usualWidth+1 {
				t.Errorf("%s --help has a wide line: %s", cmd.CommandPath(), line)
			}
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(newCommand())
	// The help of lab and of assets explains their subcommands together. The others only have status 0 and 2.
	plain := []string{"assets", "completion", "help", "lab", "version"}
	for _, command := range newCommand().Commands() {
		if !slices.Contains(plain, command.Name()) && !strings.Contains(command.Long, "xit status") {
			t.Errorf("%s --help does not say what its exit status means", command.Name())
		}
	}
	if status, stdout, _ := run(t, "version"); status != statusOK || !strings.HasPrefix(stdout, "reconform ") || !strings.Contains(stdout, "Kubernetes v") {
		t.Errorf("version: status %d, %s", status, stdout)
	}
}

// TestRender: the rendered tests say how to run them, and the names of their folders
// have the IDs.
func TestRender(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tests")
	status, stdout, stderr := run(t, "render", "--profile", "../../examples/site/reconform.yaml", "--out", out)
	if status != statusOK || !strings.Contains(stdout, filepath.Join(out, "README.md")+" says how") || !strings.Contains(stderr, "skipped SH-002: feature service") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	for file, wants := range map[string][]string{
		"README.md": {
			"reconform up --profile ../../examples/site/reconform.yaml", "chainsaw test reconcile/rc-001-new-webapp-gets-a-deployment",
			"| [SH-004](self-healing/sh-004-foreign-image-is-undone/) |", "- SH-002: feature service is not claimed",
		},
		".chainsaw.yaml": {"    assert: 45s\n", "    apply: 30s\n", "|nd-001|", "kind: Configuration"},
		"self-healing/sh-004-foreign-image-is-undone/chainsaw-test.yaml": {"kind: Site"},
		"retries/rt-001-failed-create-is-retried/chainsaw-test.yaml":     {"timeout: 6m0s"}, // five minutes, and four pauses of 15 s
	} {
		text, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Error(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %q:\n%s", file, want, text)
			}
		}
	}
	settings, err := os.ReadFile(filepath.Join(out, settingsFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.LoadBytes(settings); err != nil {
		t.Error(err)
	}
}
