package fault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// halfAnswer cuts the answer to a get or a list in the middle of its body. If the proxy must
// read the whole answer first, because it is an error or because its objects are filtered,
// the replica gets nothing of it.
type halfAnswer struct{}

var errHalfAnswer = errors.New("a fault cut the answer in the middle of its body")

// wants returns true for gets and lists.
func (halfAnswer) wants(call *proxy.Call) bool {
	switch call.Request().Verb {
	case history.VerbGet, history.VerbList:
		return true
	default:
		return false
	}
}

func (halfAnswer) act(h *hit, next proxy.Next) (*http.Response, error) {
	response, err := next(h.Out)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close() // it was read
	if err != nil {
		return nil, fmt.Errorf("reading the answer that a fault will cut: %w", err)
	}
	half := bytes.NewReader(body[:len(body)/2])
	response.Body = io.NopCloser(io.MultiReader(half, failing(func() error { return h.cut(errHalfAnswer) })))
	// An answer of unknown length is passed on as it arrives, so the first half is not lost.
	response.ContentLength = -1
	response.Header.Del("Content-Length")
	return response, nil
}

// failing is a reader that returns an error and no bytes.
type failing func() error

func (f failing) Read([]byte) (int, error) { return 0, f() }
