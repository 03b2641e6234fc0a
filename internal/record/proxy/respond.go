package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
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
		return x.passWatch(got.Response, c.keep, func(event []byte) { p.shows(x.incoming, event) })
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
	x.record.Update(p.judge(ctx, x.incoming, got.before, got.StatusCode, body))
	p.shows(x.incoming, body)
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
