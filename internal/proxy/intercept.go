package proxy

import (
	"context"
	"net/http"
	"time"

	"reconform.dev/reconform/internal/history"
)

// Interceptor stands between a replica's requests and the API server. It may wait, answer itself, fail, or change the
// answer. An error means that the replica gets no answer, or half of one: its stream is aborted, which no client
// resends by itself as it would a refused one.
type Interceptor interface {
	// Intercept carries out a call. It calls next once to have the API server answer, or never; where the call only
	// reads, as often as it likes. The body of the response, a watch's above all, may be replaced; whoever replaces it
	// closes the one that was there.
	Intercept(call *Call, next Next) (*http.Response, error)
}

// Next sends a request to the API server.
type Next func(out *http.Request) (*http.Response, error)

// Call is one request of a replica on its way to the API server, after it was confined and authorised.
type Call struct {
	// Out is the request as it is about to be sent. Its context ends when the replica gives a read up; that of a
	// write outlives the replica, see Replica.
	Out *http.Request
	// Replica is done when the replica no longer waits for the answer.
	Replica context.Context

	proxy *Proxy
	x     *exchange
}

// Request as it is recorded by now: whose it is, and all that can be matched.
func (c *Call) Request() history.Request { return c.x.record.Request() }

// Hit records that a fault acted on the call.
func (c *Call) Hit(fault string) {
	c.x.record.Update(func(r *history.Request) { r.Fault = fault })
}

// Settled has then called once the API server's answer to a write is recorded, with its effect, and before the replica
// hears of it. An error of then keeps the answer from the replica.
func (c *Call) Settled(then func(history.Request) error) { c.x.settled = then }

// CloseConnections drops all connections of the replica, this call's among them.
func (c *Call) CloseConnections() {
	c.x.cut = true
	c.proxy.CloseConnections()
}

// stillFresh is how old what was read before a write may be when the write is sent. After a longer wait it is read
// again, so that what others did meanwhile is not taken for the write's effect.
const stillFresh = 100 * time.Millisecond

// intercepted forwards an exchange by way of the interceptor, where there is one.
func (p *Proxy) intercepted(x *exchange, out *http.Request) (*http.Response, error) {
	if p.options.Interceptor == nil {
		return p.forward(x, out)
	}
	read := time.Now()
	return p.options.Interceptor.Intercept(&Call{Out: out, Replica: x.in.Context(), proxy: p, x: x},
		func(out *http.Request) (*http.Response, error) {
			if x.writes() && time.Since(read) > stillFresh {
				p.readBefore(out.Context(), x)
			}
			return p.forward(x, out)
		})
}

// forward sends a request to the API server, unless its replica has been cut off.
func (p *Proxy) forward(x *exchange, out *http.Request) (*http.Response, error) {
	if x.writes() {
		if err := x.passage.forward(); err != nil {
			return nil, err
		}
		defer x.passage.forwarded.Done()
		x.forwarded()
	}
	return p.transport.RoundTrip(out)
}

// settle tells whoever asked that the answer to a write is known, and then ends its record: whatever hit it by then is
// in it, and what becomes of the answer is not.
func (x *exchange) settle() error {
	defer x.record.Finish(nil)
	if x.settled == nil || !x.writes() {
		return nil
	}
	return x.settled(x.record.Request())
}
