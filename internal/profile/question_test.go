package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuestions: a question has the line of its beginning, and ends before the line that
// answers it.
func TestQuestions(t *testing.T) {
	got := questionsIn(`spec:
  # ? how fast does it send? It was not seen: the default of client-go
  #   is 20 requests in a second
  #clientQPS: 20
  claims:
    #   no question
    # ! a mistake? The image did not follow
    # ? another
    resync: 10h # ? not one
`)
	want := []Question{
		{2, "how fast does it send? It was not seen: the default of client-go is 20 requests in a second"},
		{8, "another"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

// TestAnsweredQuestions: a question whose answer has lost its # is not open any more. What
// stands behind a question by itself answers nothing.
func TestAnsweredQuestions(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		open int
	}{
		"as it was written":           {"  # ? how fast?\n  #clientQPS: 5\n", 1},
		"a value":                     {"  # ? how fast?\n  clientQPS: 0\n", 0},
		"a value, told in two lines":  {"  # ? how fast? The default\n  #   is 5\n  clientQPS: 0\n", 0},
		"the second of two":           {"  # ? which?\n  #reporting: {eventReason: Failed}\n  reporting: {condition: {type: Bad, status: \"True\"}}\n", 0},
		"an element":                  {"    # ? which?\n    #- fenced\n    - retry-after\n    #- roles-only\n", 0},
		"what init knows":             {"  # ? longest was not seen\n  retry: {first: 5ms, longest: 16m40s} # guessed: from the pauses\n", 1},
		"another field, further left": {"    # ? which?\n    #- fenced\n  unowned: adopt\n", 1},
		"a field with others in it":   {"  # ? which of them decides?\n  spec:\n    image: {path: spec.image}\n", 1},
		"the next question":           {"  # ? one?\n  #a: 1\n  # ? two?\n  b: 2\n", 1},
		"nothing":                     {"  # ? one?", 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := questionsIn(tc.text); len(got) != tc.open {
				t.Errorf("open: %v, want %d", got, tc.open)
			}
		})
	}
}
