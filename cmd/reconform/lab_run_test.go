package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLabRunRefuses: predictions are read before anything is started. Wrong ones are said
// with file, line and field.
func TestLabRunRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	work := "predict-lost-answer"
	answer := filepath.Join(work, "answer.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(answer, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		args   []string
		before string // what is predicted then; empty: as before
		status int
		want   string
	}{
		{[]string{"lab", "run", "predict/lost-answer"}, "", statusUsage, "is no folder of a lab"},
		{[]string{"lab", "start", "predict/lost-answer"}, "", statusOK, "answer in answer.yaml"},
		{[]string{"lab", "list"}, "", statusOK, "started"},
		{[]string{"lab", "run", "predict/lost-answer"}, "", statusUsage, answer + ":8: failed: nothing is predicted yet"},
		{[]string{"lab", "run", "--dir", work}, "failed: 1\ncreates: many\nevents: 0\n", statusUsage, answer + `:2: creates: "many" is no answer`},
		{[]string{"lab", "run", "--dir", work}, "failed: 1\ncreates: 1\n", statusUsage, "events: the answer is missing"},
		{[]string{"lab", "run", "--dir", work}, "failed: 1\nsuccess: 1\n", statusUsage, ":2: success: there is no such question"},
		{[]string{"lab", "reset", "--dir", work}, "", statusOK, "what you have written is in before-reset-"},
		{[]string{"lab", "check", "--dir", work}, "", statusUsage, "reconform lab run"},
		{[]string{"lab", "hint", "--dir", work}, "", statusUsage, "has no hints"},
		{[]string{"lab", "solution", "--dir", work, "--yes"}, "", statusUsage, "reconform lab run"},
		{[]string{"lab", "start", "01"}, "", statusOK, "01-watch-and-print"},
		{[]string{"lab", "run", "01"}, "", statusUsage, "has no experiment"},
	} {
		if step.before != "" {
			write(step.before)
		}
		status, stdout, stderr := run(t, step.args...)
		if status != step.status || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%v: status %d, want %d with %q: %s%s", step.args, status, step.status, step.want, stdout, stderr)
		}
	}
}
