package proxy

import (
	"context"
	"net/http"

	"reconform.dev/reconform/internal/history"
)

// Interceptor stands between a replica's requests and the API server. It may wait,
// answer itself, fail, or change the answer. An error means that the replica gets no
// answer, or half of one: its stream is aborted. A client does not resend such a
// request by itself, as it would one that was refused.
type Interceptor interface {
	// Intercept carries out a call. It calls next once to have the API server answer,
	// or never; where the call only reads, as often as it likes. The body of the
	// response, a watch's above all, may be replaced; whoever replaces it closes the
	// one that was there.
	Intercept(call *Call, next Next) (Answer, error)
}

// Next sends a request to the API server.
type Next func(out *http.Request) (*http.Response, error)

// Answer to a call.
type Answer struct {
	*http.Response
	// Settled is called once the answer to a write is recorded, with its effect, and
	// before the replica gets it. An error keeps the answer from the replica. Nil for
	// nothing to do.
	Settled func(history.Request) error
}

// Call is one request of a replica on its way to the API server, after it was confined
// and authorised.
type Call struct {
	// Out is the request as it is about to be sent. Its context ends when the replica
	// gives a read up; that of a write outlives the replica, see Replica.
	Out *http.Request
	// Replica is done when the replica no longer waits for the answer.
	Replica context.Context

	proxy  *Proxy
	record *history.Record
}

// Request as it is recorded by now: whose it is, and all that can be matched.
func (c *Call) Request() history.Request { return c.record.Request() }

// Hit records that a fault acted on the call.
func (c *Call) Hit(fault string) {
	c.record.Update(func(r *history.Request) { r.Fault = fault })
}

// Lose records that the answer will not reach the replica.
func (c *Call) Lose() {
	c.record.Update(func(r *history.Request) { r.AddNote(history.NoteAnswerLost) })
}

// CloseConnections closes all connections of the replica, this call's among them. It
// returns the error with which the call must end then: it says why, and that it was not
// the replica that stopped waiting.
func (c *Call) CloseConnections(why error) error {
	c.proxy.CloseConnections()
	return severed{why}
}

// severed is why an interceptor closed the replica's connections.
type severed struct{ error }

func (s severed) Unwrap() error { return s.error }
