package chainsaw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/transport"
)

const (
	// answerWithin is how long a read may take. The API server gives up after a minute.
	answerWithin = 70 * time.Second
	// mostReads of the same, where none is answered.
	mostReads = 3
)

// impatient reads again what is not answered in time. A read that a binding asks for,
// x_k8s_get, knows no time limit: one answer that never comes would hold the run up for
// ever.
func impatient(within time.Duration) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper { return &impatientTransport{next, within} }
}

type impatientTransport struct {
	next   http.RoundTripper
	within time.Duration
}

func (t *impatientTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || req.URL.Query().Has("watch") {
		return t.next.RoundTrip(req)
	}
	for read := 1; ; read++ {
		response, err := t.read(req)
		if !errors.Is(err, context.DeadlineExceeded) || req.Context().Err() != nil {
			return response, err
		}
		if read == mostReads {
			return nil, fmt.Errorf("reading %s: no answer within %s, %d times: %w", req.URL.Path, t.within, read, err)
		}
	}
}

// read the whole answer, within the time.
func (t *impatientTransport) read(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.within)
	defer cancel()
	response, err := t.next.RoundTrip(req.Clone(ctx))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close() // it was read
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	response.Request, response.Body = req, io.NopCloser(bytes.NewReader(body))
	return response, nil
}
