package play

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/wait"
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

// lastWords returns the last lines of the controller.
func (s *stage) lastWords(most int) string {
	lines := s.lines()
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		return "it has printed nothing"
	}
	return "the last lines are:\n    " + strings.Join(lines[max(0, len(lines)-most):], "\n    ")
}
