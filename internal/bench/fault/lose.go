package fault

import (
	"errors"
	"net/http"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// loseResponse lets the API server carry out the request, but keeps its answer from the
// controller.
type loseResponse struct{}

var errLost = errors.New(history.NoteAnswerLost)

func (loseResponse) act(h *hit, next proxy.Next) (*http.Response, error) {
	return h.carryOut(next, func() error { return h.cut(errLost) })
}

func (loseResponse) answered(h *hit) error { return h.cut(errLost) }

// carryOut lets the API server carry out a request whose answer nobody is to get. A read then
// ends with the error of end. The effect of a write is recorded first, and answered ends it.
func (h *hit) carryOut(next proxy.Next, end func() error) (*http.Response, error) {
	response, err := next(h.Out)
	if err != nil {
		return nil, err
	}
	if h.writes() {
		h.Lose()
		return response, nil
	}
	_ = response.Body.Close() // nobody reads it
	return nil, end()
}

// writes says whether the request is meant to change objects.
func (h *hit) writes() bool {
	switch h.Request().Verb {
	case history.VerbCreate, history.VerbUpdate, history.VerbDelete:
		return true
	default:
		return false
	}
}
