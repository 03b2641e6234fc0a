package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func TestList(t *testing.T) {
	for name, tc := range map[string]struct {
		args       []string
		has, lacks string
	}{
		"selected":            {[]string{"--run", "^SH-", "--skip", "SH-002"}, "SH-001", "SH-002"},
		"by label":            {[]string{"-l", "area=status"}, "ST-001", "SH-001"},
		"not mapped":          {[]string{"--profile", "sample-controller", "--run", "^RC-004$"}, "cannot be mapped", "yes"},
		"not mapped, as JSON": {[]string{"--profile", "sample-controller", "--run", "^RC-004$", "-o", "json"}, `"unmapped": "it changes image`, "RC-005"},
		"not judged, as JSON": {[]string{"--profile", "sample-controller", "--run", "^SH-002$", "-o", "json"}, `"skipped": "feature service is not claimed"`, "SH-001"},
		"another contract":    {[]string{"--run", "^(BK-001|VA-006)$"}, "another contract", "yes"},
		"needs nodes":         {[]string{"--run", "^ND-001$"}, "yes, on nodes", "cannot"},
		"a part, in Markdown": {[]string{"--run", "^SH-001$", "-o", "markdown"}, "[SH-001](", "SH-002"},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := run(t, append([]string{"list"}, tc.args...)...)
			if status != statusOK || !strings.Contains(stdout, tc.has) || strings.Contains(stdout, tc.lacks) {
				t.Errorf("status %d, want one with %q and without %q:\n%s%s", status, tc.has, tc.lacks, stdout, stderr)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		width int
		want  string
	}{{0, "zwölf Wörter"}, {12, "zwölf Wörter"}, {6, "zwölf…"}} {
		if got := cut("zwölf Wörter", tc.width); got != tc.want {
			t.Errorf("cut at %d: %q, want %q", tc.width, got, tc.want)
		}
	}
}

func TestExplain(t *testing.T) {
	status, stdout, stderr := run(t, "explain", "sh-001")
	if status != statusOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, want := range []string{"SH-001  self-healing, core", "MUST:", "it exists to catch:", "hint:", "relies on:\n    RC-001", "kind: Test"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("missing %q in\n%s", want, stdout)
		}
	}
}

func TestCompletion(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"profile":  {[]string{"run", "--profile", "sample"}, "sample-controller\n"},
		"file":     {[]string{"run", "--profile", "./x"}, "yaml\nyml\n:8"},
		"format":   {[]string{"list", "-o", ""}, "table\njson\nmarkdown\n"},
		"ID":       {[]string{"explain", "sh-00"}, "SH-001\t"},
		"selector": {[]string{"list", "-l", "level=core,area=sel"}, "level=core,area=self-healing\n"},
		"folder":   {[]string{"run", "--report-dir", ""}, ":16"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, stdout, stderr := run(t, append([]string{"__complete"}, tc.args...)...); !strings.Contains(stdout, tc.want) {
				t.Errorf("want %q, got\n%s%s", tc.want, stdout, stderr)
			}
		})
	}
}

// TestIDs: IDs select requirements, in upper or lower case, and so do patterns.
func TestIDs(t *testing.T) {
	for name, args := range map[string][]string{
		"upper case": {"list", "SH-004", "-o", "json"},
		"lower case": {"list", "sh-004", "-o", "json"},
		"a pattern":  {"list", "--run", "^sh-004$", "-o", "json"},
	} {
		status, stdout, stderr := run(t, args...)
		if status != statusOK || strings.Count(stdout, `"id"`) != 1 || !strings.Contains(stdout, `"SH-004"`) {
			t.Errorf("%s: status %d\n%s%s", name, status, stdout, stderr)
		}
	}
	if status, stdout, _ := run(t, "list", "sh-004", "rc-001", "-o", "json"); status != statusOK || strings.Count(stdout, `"id"`) != 2 {
		t.Errorf("two: status %d\n%s", status, stdout)
	}
}

// TestExplainProfile: with a profile, the scenario and the command are those of its controller.
func TestExplainProfile(t *testing.T) {
	for name, tc := range map[string]struct {
		args      []string
		want, not string
	}{
		"the reference":  {[]string{"explain", "sh-001"}, "use: {template:", "kind: Site"},
		"its command":    {[]string{"explain", "SH-001"}, "    reconform run SH-001\n", "--profile"},
		"a profile":      {[]string{"explain", "SH-001", "--profile", "../../examples/site/reconform.yaml"}, "kind: Site", "kind: WebApp"},
		"its own":        {[]string{"explain", "SH-001", "--profile", "../../examples/site/reconform.yaml"}, "    reconform run --profile ../../examples/site/reconform.yaml SH-001\n", "^SH-001$"},
		"not claimed":    {[]string{"explain", "SH-002", "--profile", "../../examples/site/reconform.yaml"}, "is not judged for this profile:\n    feature service is not claimed\n", "kind: Site"},
		"without a port": {[]string{"explain", "LT-007", "--profile", "../../examples/site/reconform.yaml"}, "spec: {image: 'registry.example/demo:v2', size: 3}", "port: 9090"},
	} {
		status, stdout, stderr := run(t, tc.args...)
		if status != statusOK || !strings.Contains(stdout, tc.want) || strings.Contains(stdout, tc.not) {
			t.Errorf("%s: status %d, want %q and not %q:\n%s%s", name, status, tc.want, tc.not, stdout, stderr)
		}
	}
}

// TestHelp: no help says a word twice in a row, or is wider than a screen.
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
	if status, stdout, _ := run(t, "version"); status != statusOK || !strings.HasPrefix(stdout, "reconform ") || !strings.Contains(stdout, "Kubernetes v") {
		t.Errorf("version: status %d, %s", status, stdout)
	}
}
