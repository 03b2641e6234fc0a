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
