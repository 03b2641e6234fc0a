package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kyverno/chainsaw/pkg/loaders/config"
	"github.com/spf13/cobra"

	"reconform.dev/reconform/scenarios"
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

// TestRender: what is written says how it is run, and has the IDs in the names of folders.
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

// TestScenarios: those of a folder are checked for what is mistyped, and take the place of
// the program's own.
func TestScenarios(t *testing.T) {
	own := filepath.Join(t.TempDir(), "scenarios")
	if err := os.CopyFS(own, scenarios.FS); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := run(t, "list", "--scenarios", own, "SH-004"); status != statusOK || !strings.Contains(stdout, "SH-004") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	file := filepath.Join(own, "self-healing", "foreign-image-is-undone", "chainsaw-test.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "- name: When", "- name: Wen", 1)
	if err := os.WriteFile(file, []byte(strings.Replace(changed, "A foreign image", "My own image", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := run(t, "run", "--scenarios", own, "SH-004", "--report-dir", filepath.Join(t.TempDir(), "reports"))
	if want := `begins with none of Given, When and Then; did you mean "When"?`; status != statusUsage || !strings.Contains(stderr, file+":") || !strings.Contains(stderr, want) {
		t.Errorf("status %d, want %d and %q:\n%s", status, statusUsage, want, stderr)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "A foreign image", "My own image", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := run(t, "explain", "--scenarios", own, "SH-004"); status != statusOK || !strings.Contains(stdout, "My own image") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}
