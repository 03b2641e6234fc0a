package proxy

import (
	"context"
	"net/http"

	"reconform.dev/reconform/internal/record/history"
)

// Interceptor stands between a replica's requests and the API server. It may wait, answer
// itself, fail, or change the answer. After an error the replica gets no answer, or an
// incomplete one: its stream is aborted. A client does not retry such a request by itself,
// as it would retry one that was refused.
type Interceptor interface {
	// Intercept carries out a call. It calls next once, so that the API server answers, or
	// never. If the call only reads, it may call next several times. It may replace the
	// body of the response, for example the stream of a watch. Then it must close the
	// original body.
	Intercept(call *Call, next Next) (Answer, error)
}

// Next sends a request to the API server.
type Next func(out *http.Request) (*http.Response, error)

// Answer to a call.
type Answer struct {
	*http.Response
	// Settled is called after the answer to a write is recorded, with its effect, and
	// before the replica gets it. An error keeps the answer from the replica. It may be
	// nil.
	Settled func(history.Request) error
}

// Call is one request of a replica on its way to the API server, after it was confined
// and authorised.
type Call struct {
	// Out is the request that will be sent. The context of a read ends when the replica
	// stops waiting. The context of a write does not end then: see Replica.
	Out *http.Request
	// Replica is done when the replica no longer waits for the answer.
	Replica context.Context

	proxy  *Proxy
	record *history.Record
}

// Request returns the request as it is recorded so far: whose it is, and everything that
// can be matched.
func (c *Call) Request() history.Request { return c.record.Request() }

// Hit records that a fault acted on the call.
func (c *Call) Hit(fault string) {
	c.record.Update(func(r *history.Request) { r.Fault = fault })
}

// Lose records that the answer will not reach the replica.
func (c *Call) Lose() {
	c.record.Update(func(r *history.Request) { r.AddNote(history.NoteAnswerLost) })
}

// CloseConnections closes all connections of the replica, this call's connection too. The
// call must then end with the returned error. The error says why, and that it was not the
// replica that stopped waiting.
func (c *Call) CloseConnections(why error) error {
	c.proxy.CloseConnections()
	return severed{why}
}

// severed is why an interceptor closed the replica's connections.
type severed struct{ error }

func (s severed) Unwrap() error { return s.error }
