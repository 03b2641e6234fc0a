package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// fenced are the examples of a language in a Markdown file.
func fenced(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		examples = append(examples, m[1])
	}
	return examples
}

// TestProfilesInDocuments: the scenarios can be rendered for every profile that somebody
// may copy.
func TestProfilesInDocuments(t *testing.T) {
	files := []string{"../../README.md", "../../CONTRIBUTING.md"}
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	profiles := 0
	for _, file := range append(files, docs...) {
		for _, example := range fenced(t, file, "yaml") {
			if !strings.Contains(example, "kind: Profile\n") {
				continue
			}
			profiles++
			mine := filepath.Join(t.TempDir(), "mine.yaml")
			if err := os.WriteFile(mine, []byte(example), 0o600); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "tests")
			if status, _, stderr := run(t, "render", "--profile", mine, "--out", out); status != statusOK {
				t.Errorf("the profile in %s: status %d\n%s", file, status, stderr)
			}
		}
	}
	if profiles < 2 {
		t.Errorf("found %d profiles, want the short one and the whole one of docs/profile.md at least", profiles)
	}
}

// TestCommandsInDocuments: the commands that documents show exist, and take these flags.
func TestCommandsInDocuments(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?m)^(?:\\$ )?(?:bin/|go tool )?reconform ([^#\n|]*)|`(?:bin/|go tool )?reconform ([^`\n]*)`")
	for _, pattern := range []string{"../../labs/*.md", "../../labs/*/README.md", "../../labs/*/*/README.md"} {
		texts, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, texts...)
	}
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../SECURITY.md", "../../examples/site/README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lines.FindAllStringSubmatch(string(text), -1) {
			line := m[1] + m[2]
			cmd, rest, err := newCommand().Find(strings.Fields(strings.ReplaceAll(line, "'", "")))
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("%s: reconform %s: %v", file, line, err)
			}
		}
	}
}

// TestByHand does what docs/by-hand.md says, with the bench up.
func TestByHand(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	var session string
	for _, example := range fenced(t, "../../docs/by-hand.md", "sh") {
		if strings.HasPrefix(example, "kubectl create namespace") {
			session = example
		}
	}
	if session == "" {
		t.Fatal("docs/by-hand.md has no session")
	}
	c := startCommand(t, "up")
	c.await(t, "Ctrl+C ends it all")
	export := regexp.MustCompile(`(?m)^  export .*$`).FindString(c.said())
	output, err := exec.CommandContext(t.Context(), "bash", "-ec", export+"\n"+session).CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
	for _, object := range []string{"stubborn", "not-too-early", "served", "at-rest", "rollout"} {
		if !regexp.MustCompile(`(?m)/` + object + ` .* Met `).Match(output) {
			t.Errorf("%s has no verdict that is Met:\n%s", object, output)
		}
	}
	c.end(t, syscall.SIGINT, false)
}
