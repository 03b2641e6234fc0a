package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

// writeTimeout limits a write, from the moment when it is forwarded. The API server always
// answers faster.
const writeTimeout = 70 * time.Second

// errUnanswered ends a write that the API server does not answer.
var errUnanswered = fmt.Errorf("the API server did not answer the write within %s", writeTimeout)

// lifetime of a request to the API server.
type lifetime struct {
	ctx context.Context
	// limit ends the lifetime of a write. It runs from the moment when the write is
	// forwarded. The time that an interceptor took before does not count.
	limit *time.Timer
	end   func()
}

// lifetime returns the lifetime of a request to the API server. A read ends when the
// replica no longer waits for it. A forwarded write may take effect even if nobody waits
// for the answer, so the proxy waits for the answer, up to a limit.
func (p *Proxy) lifetime(in incoming) lifetime {
	if !in.writes() {
		ctx, cancel := context.WithCancel(in.context())
		return lifetime{ctx: ctx, end: cancel}
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(in.context()))
	detach := context.AfterFunc(p.writing, func() { cancel(p.writing.Err()) })
	limit := time.AfterFunc(writeTimeout, func() { cancel(errUnanswered) })
	limit.Stop()
	return lifetime{ctx: ctx, limit: limit, end: func() {
		detach()
		limit.Stop()
		cancel(nil)
	}}
}

// why returns the reason for an error: the reason of the lifetime's end, if the lifetime
// ended.
func (l lifetime) why(err error) error {
	if err != nil && errors.Is(context.Cause(l.ctx), errUnanswered) {
		return errUnanswered
	}
	return err
}

// asked is the result of a request to the API server, through the interceptor.
type asked struct {
	Answer
	// before is the object just before the write.
	before prior
}

// stillFresh is how old the object that was read before a write may be when the write is
// sent. After a longer wait it is read again, so that what others did in between does not
// count as the write's effect.
const stillFresh = 100 * time.Millisecond

// ask sends a request to the API server, through the interceptor if there is one.
func (p *Proxy) ask(life lifetime, x exchange, out *http.Request, base string, before prior) (asked, error) {
	if p.options.Interceptor == nil {
		response, err := p.forward(life, x.incoming, out)
		return asked{Answer: Answer{Response: response}, before: before}, err
	}
	read := time.Now()
	call := &Call{Out: out, Replica: x.context(), proxy: p, record: x.record}
	answer, err := p.options.Interceptor.Intercept(call, func(out *http.Request) (*http.Response, error) {
		if x.writes() && time.Since(read) > stillFresh {
			before = p.readBefore(out.Context(), x, base)
		}
		return p.forward(life, x.incoming, out)
	})
	return asked{Answer: answer, before: before}, err
}

// forward sends a request to the API server, unless its replica has been cut off.
func (p *Proxy) forward(life lifetime, in incoming, out *http.Request) (*http.Response, error) {
	if in.writes() {
		if err := in.passage.forward(); err != nil {
			return nil, err
		}
		defer in.passage.forwarded.Done()
		life.limit.Reset(writeTimeout)
	}
	return p.transport.RoundTrip(out)
}

// outgoing returns the request that is sent to the API server at base, with the given
// body.
func outgoing(ctx context.Context, base *url.URL, in incoming, body io.ReadCloser, c confinement) *http.Request {
	out := in.request.Clone(ctx)
	out.RequestURI = ""
	out.Host = ""
	out.Close = false
	out.Body = body
	if out.ContentLength == 0 {
		out.Body = http.NoBody
	}

	out.URL.Scheme, out.URL.Host = base.Scheme, base.Host
	if c.path != "" {
		out.URL.Path, out.URL.RawPath = c.path, ""
	}
	if prefix := strings.TrimSuffix(base.Path, "/"); prefix != "" {
		out.URL.Path = prefix + out.URL.Path
		if out.URL.RawPath != "" {
			out.URL.RawPath = prefix + out.URL.RawPath
		}
	}
	if c.keep != nil {
		// In a table, only the object of a row says to which namespace the row belongs.
		if query := out.URL.Query(); query.Get("includeObject") == "None" {
			query.Set("includeObject", "Metadata")
			out.URL.RawQuery = query.Encode()
		}
	}

	removeHops(out.Header)
	narrow(out.Header, in.request.URL.Path)
	if _, ok := out.Header["User-Agent"]; !ok {
		// Otherwise the transport would add its own.
		out.Header["User-Agent"] = nil
	}
	return out
}

// removeHops removes the headers that belong to one connection.
func removeHops(header http.Header) {
	for _, named := range header.Values("Connection") {
		for name := range strings.SplitSeq(named, ",") {
			header.Del(textproto.TrimString(name))
		}
	}
	for _, name := range []string{
		"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	} {
		header.Del(name)
	}
}
