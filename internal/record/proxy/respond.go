package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/stream"
)

// respond passes the API server's answer on, as far as the replica may see it. An answer
// that is read as a whole is recorded before it is passed on. So when the replica has the
// answer, it is in the record.
func (p *Proxy) respond(ctx context.Context, x exchange, c confinement, got asked) error {
	switch {
	case got.StatusCode >= http.StatusBadRequest:
		return x.passError(got.Answer)
	case c.hide:
		return x.answer(*notFound(x.resource(), x.info.Name))
	case x.writes():
		return p.passWrite(ctx, x, got)
	case x.info.Verb == "watch":
		return x.passWatch(got.Response, c.keep, func(event []byte) { p.showsEvent(x.incoming, event) })
	case c.keep != nil:
		p.showing(x.incoming, got.Response)
		return x.passList(got.Response, c.keep)
	default:
		p.showing(x.incoming, got.Response)
		return x.pass(got.Response)
	}
}

func (x exchange) passError(answer Answer) error {
	body, rest, err := read(answer.Body, errorLimit)
	if err != nil {
		return err
	}
	var status metav1.Status
	if json.Unmarshal(body, &status) != nil || status.Kind != "Status" {
		status = metav1.Status{}
	}
	x.record.Update(x.refused(answer.StatusCode, status))
	if err := x.settle(answer); err != nil {
		return err
	}
	return writeAll(x.w, answer.Response, body, rest)
}

func (p *Proxy) passWrite(ctx context.Context, x exchange, got asked) error {
	body, rest, err := read(got.Body, bodyLimit)
	if err != nil {
		return err
	}
	written := p.written(ctx, x.incoming, got.before, got.StatusCode, body)
	// The effect of a write is recorded even if the replica has broken the write off.
	_, cut := x.passage.reason()
	unawaited := x.context().Err() != nil && !cut
	x.record.Update(func(r *history.Request) {
		written(r)
		if unawaited {
			r.AddNote(history.NoteUnawaited)
		}
	})
	if !x.dryRun {
		p.shows(x.incoming, body)
	}
	if err := x.settle(got.Answer); err != nil {
		return err
	}
	return writeAll(x.w, got.Response, body, rest)
}

// settle calls Settled of the answer to a write, and then ends the record of the request.
// So a fault that acts on the answer is in the record. What happens to the answer later is
// not.
func (x exchange) settle(answer Answer) error {
	defer x.record.Finish(nil)
	if answer.Settled == nil || !x.writes() {
		return nil
	}
	return answer.Settled(x.record.Request())
}

func (x exchange) passList(response *http.Response, keep func(types.NamespacedName) bool) error {
	body, rest, err := read(response.Body, bodyLimit)
	if err != nil {
		return err
	}
	if rest != nil {
		return fmt.Errorf("reading a list: it is larger than %d bytes", bodyLimit)
	}
	if body, err = filterList(body, keep); err != nil {
		return err
	}
	x.record.Finish(answered(response))
	return write(x.w, response.StatusCode, response.Header, body)
}

// pass passes the answer on as it arrives.
func (x exchange) pass(response *http.Response) error {
	x.record.Update(answered(response))
	begin(x.w, response)
	if response.ContentLength >= 0 {
		_, err := io.Copy(x.w, response.Body)
		return err
	}
	// The end is not known: the answer may be a log that the replica follows.
	out := flush(x.w)
	if err := out.flusher.Flush(); err != nil {
		return err
	}
	_, err := io.Copy(out, response.Body)
	return err
}

// answered returns what the record says of an answer that is not an error.
func answered(response *http.Response) func(*history.Request) {
	return func(r *history.Request) { r.Code = response.StatusCode }
}

// answer answers the request instead of the API server.
func (x exchange) answer(status metav1.Status) error {
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	body, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	x.record.Finish(x.refused(int(status.Code), status))
	header := http.Header{}
	header.Set("Content-Type", runtime.ContentTypeJSON)
	header.Set("Cache-Control", "no-cache, private")
	return write(x.w, int(status.Code), header, body)
}

// withoutWebSocket answers a watch that is to be sent on a web socket. Clients that ask for this,
// such as fabric8 for Java, take a plain 200 as the sign that there are no web sockets, and
// send the watch again without one. That one counts. This one shows the replica nothing, so
// it is no watch.
func (x exchange) withoutWebSocket() error {
	x.record.Finish(func(r *history.Request) {
		r.Code, r.Verb, r.StreamingList = http.StatusOK, history.VerbOther, false
		r.AddNote("the bench has no web sockets: the watch is to be sent without one")
	})
	return write(x.w, http.StatusOK, http.Header{}, nil)
}

func notImplemented(message string) metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotImplemented, Reason: "NotImplemented", Message: message,
	}
}

// refused returns what an error answer adds to the record.
func (in incoming) refused(code int, status metav1.Status) func(*history.Request) {
	return func(r *history.Request) {
		r.Code = code
		r.Reason, r.Message = string(status.Reason), status.Message
		if in.writes() && !in.dryRun {
			r.Effect = history.EffectRefused
		}
	}
}

// begin begins the answer to the replica: status and header.
func begin(w http.ResponseWriter, response *http.Response) {
	copyHeader(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
}

// copyHeader copies an answer's header, without what belongs to one connection.
func copyHeader(to, from http.Header) {
	maps.Copy(to, from)
	removeHops(to)
}

// write writes a whole answer.
func write(w http.ResponseWriter, code int, header http.Header, body []byte) error {
	copyHeader(w.Header(), header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, err := w.Write(body)
	return err
}

// writeAll passes on an answer that was read completely or in part.
func writeAll(w http.ResponseWriter, response *http.Response, body []byte, rest io.Reader) error {
	if rest == nil {
		return write(w, response.StatusCode, response.Header, body)
	}
	begin(w, response)
	if _, err := w.Write(body); err != nil {
		return err
	}
	_, err := io.Copy(w, rest)
	return err
}

// flushing passes every write on at once.
type flushing struct {
	w       io.Writer
	flusher *http.ResponseController
}

func flush(w http.ResponseWriter) flushing {
	return flushing{w: w, flusher: http.NewResponseController(w)}
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		return n, err
	}
	return n, f.flusher.Flush()
}

// brokenStream is why a watch broke off after its answer had begun.
type brokenStream struct{ error }

func (b brokenStream) Unwrap() error { return b.error }

func (x exchange) passWatch(response *http.Response, keep func(types.NamespacedName) bool, shows func(event []byte)) error {
	x.record.Update(answered(response))
	if err := passEvents(x.w, response, keep, shows); err != nil {
		return brokenStream{err}
	}
	return nil
}

// passEvents passes watch events on, each at once, and records what they show. If the stream
// breaks off in the middle of an event, the replica gets the first part of it, too. It does
// not if events are filtered, because a part may be of an object that the replica must not
// see.
func passEvents(
	w http.ResponseWriter, response *http.Response, keep func(types.NamespacedName) bool, shows func(event []byte),
) error {
	begin(w, response)
	out := flush(w)
	if err := out.flusher.Flush(); err != nil {
		return err
	}
	events := stream.NewReader(response.Body)
	for {
		event, err := events.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if keep == nil {
				_, _ = io.Copy(out, events.Unfinished()) // the stream has failed already
			}
			return err
		}
		if keep != nil {
			if ok, err := keepEvent(event, keep); err != nil {
				return err
			} else if !ok {
				continue
			}
		}
		shows(event)
		if _, err := out.Write(append(event, '\n')); err != nil {
			return err
		}
	}
}
