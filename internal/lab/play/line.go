package play

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/record/sanitize"
)

// about returns a pattern for lines that have a word and, after it, the NAMESPACE/NAME of a
// WebApp. The word may be empty.
func (s *stage) about(word, name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + word + `\b.*\b` + regexp.QuoteMeta(s.namespace+"/"+name) + `(?:[^\w/-]|$)`)
}

// count counts the lines that match.
func count(lines []string, pattern *regexp.Regexp) (n int) {
	for _, line := range lines {
		if pattern.MatchString(line) {
			n++
		}
	}
	return n
}

// expect waits for one more line with a word about a WebApp than there was before.
func (s *stage) expect(ctx context.Context, word, name string, before int) error {
	pattern := s.about(word, name)
	return s.expectThat(ctx, fmt.Sprintf("no line %q", word+" "+s.namespace+"/"+name), func(lines []string) bool {
		return count(lines, pattern) > before
	})
}

// expectThat waits until the lines are as they should be. If they do not become so, found
// says what is wrong.
func (s *stage) expectThat(ctx context.Context, found string, as func(lines []string) bool) error {
	err := s.await(ctx, s.patience, func() (bool, error) { return as(s.lines()), nil })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%s within %s; %s", found, s.patience, s.lastWords(6))}
	}
	return err
}

// mostOfALine is how much of a line is shown, in characters.
const mostOfALine = 1 << 10

// lastWords returns the last lines of the controller.
func (s *stage) lastWords(most int) string {
	lines, tooMuch := s.lines(), ""
	if info, err := os.Stat(s.log); err == nil && info.Size() >= capture.First {
		tooMuch = fmt.Sprintf("it has printed more than %d MB, and no more than that is read; of this, ", capture.First>>20)
	}
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		data, err := os.ReadFile(s.log)
		if begun := strings.TrimSpace(string(data)); err == nil && begun != "" {
			return fmt.Sprintf("%sit has printed %q, and no line feed (\\n) after it: that is no line yet", tooMuch, sanitize.Cut(begun, mostOfALine))
		}
		return "it has printed nothing"
	}
	shown := lines[max(0, len(lines)-most):]
	for n := range shown {
		shown[n] = sanitize.Cut(shown[n], mostOfALine)
	}
	return tooMuch + "the last lines are:\n    " + strings.Join(shown, "\n    ")
}
