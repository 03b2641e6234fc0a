package main

import (
	"strings"
	"testing"
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
