package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/request"

	"reconform.dev/reconform/internal/history"
)

// exchange is one request on its way, and what is known of it.
type exchange struct {
	in     *http.Request
	info   *request.RequestInfo
	record *history.Record
	confinement

	// before is the object just before it is written, nil where there is none.
	before object
	// unread is why before is not known.
	unread error

	// passage through the gate that it came by.
	passage *passage

	// forwarded is called when a write is about to be sent to the API server; nil for anything else.
	forwarded func()
	// settled is called once the answer to a write is recorded.
	settled func(history.Request) error
	// cut is true once the interceptor cut the replica off.
	cut bool
}

// writeTimeout bounds a write, from when it is forwarded: longer than the API server takes for any.
const writeTimeout = 70 * time.Second

// errUnanswered ends a write that the API server leaves without an answer.
var errUnanswered = fmt.Errorf("the API server did not answer the write within %s", writeTimeout)

// ServeHTTP serves one request of the replica.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	if !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.serving.Done()

	passage := p.passageOf(in.Context())
	if passage == nil {
		panic(http.ErrAbortHandler)
	}
	ctx, cancel := passage.bind(in.Context())
	defer cancel()
	x := p.begin(in.WithContext(ctx))
	x.passage = passage
	defer x.record.Finish(nil)
	if err := p.serve(w, x); err != nil {
		x.broken(err)
		panic(http.ErrAbortHandler)
	}
}

// begin records a request.
func (p *Proxy) begin(in *http.Request) *exchange {
	// An error means that the path makes no sense. The API server will say so.
	info, _ := p.infos.NewRequestInfo(in)
	verb := logicalVerb(info)
	return &exchange{in: in, info: info, record: p.options.Recorder.Begin(history.Request{
		Scenario:      p.options.Scenario,
		Subject:       p.options.Subject,
		Replica:       p.options.Replica,
		Verb:          verb,
		StreamingList: verb == history.VerbWatch && isTrue(in.URL.Query().Get("sendInitialEvents")),
		Method:        in.Method,
		Path:          in.RequestURI,
		Group:         info.APIGroup,
		Version:       info.APIVersion,
		Resource:      info.Resource,
		Subresource:   info.Subresource,
		Namespace:     info.Namespace,
		Name:          info.Name,
	})}
}

// serve answers a request. After an error there is no answer, or half of one.
func (p *Proxy) serve(w http.ResponseWriter, x *exchange) error {
	ctx := x.in.Context()
	if upgrades(x.in) {
		return x.answer(w, notImplemented("the bench does not carry upgraded connections, such as exec and port-forward"))
	}
	if x.info.Verb == "create" && x.info.Name == "" {
		name, err := nameToCreate(x.in)
		if err != nil {
			return err
		}
		x.record.Update(func(r *history.Request) { r.Name = name })
	}

	var err error
	if x.confinement, err = confine(ctx, &p.options.Scope, x.info, p.resources); err != nil {
		return err
	}
	if x.review {
		forbidden, err := p.reviews.authorize(ctx, x.info)
		if err != nil {
			return err
		}
		if forbidden != nil {
			return x.answer(w, forbidden)
		}
	}
	if x.note != "" {
		x.record.Update(func(r *history.Request) { r.Note = x.note })
	}
	if x.refusal != nil {
		return x.answer(w, x.refusal)
	}

	p.readBefore(ctx, x)
	if err := ctx.Err(); err != nil {
		// Nothing is sent on behalf of a replica that is gone.
		return err
	}
	ctx, cancel := p.lifetime(x)
	defer cancel()
	response, err := p.intercepted(x, p.outgoing(ctx, x))
	if err == nil {
		defer response.Body.Close()
		err = p.respond(ctx, w, x, response)
	}
	if err != nil && errors.Is(context.Cause(ctx), errUnanswered) {
		return errUnanswered
	}
	return err
}

// lifetime of the question to the API server. A read ends with the replica's interest in it. A write that was
// forwarded may have its effect whether or not anybody waits for the answer, so the answer is awaited, for a time: what
// an interceptor did before it was forwarded does not count.
func (p *Proxy) lifetime(x *exchange) (context.Context, context.CancelFunc) {
	ctx := x.in.Context()
	if !x.writes() {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	detach := context.AfterFunc(p.writing, func() { cancel(p.writing.Err()) })
	var limit *time.Timer
	x.forwarded = func() {
		limit = time.AfterFunc(writeTimeout, func() { cancel(errUnanswered) })
	}
	return ctx, func() {
		detach()
		if limit != nil {
			limit.Stop()
		}
		cancel(nil)
	}
}

// writes says whether the request is meant to change objects.
func (x *exchange) writes() bool {
	switch x.info.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return x.info.IsResourceRequest
	default:
		return false
	}
}

// broken records that there is no answer, or half of one.
func (x *exchange) broken(err error) {
	x.record.Finish(func(r *history.Request) {
		reason, cut := x.passage.reason()
		switch {
		case cut:
			r.Fault = cmp.Or(r.Fault, reason)
			r.Note = join(r.Note, "the replica was cut off")
		case x.in.Context().Err() != nil && !x.cut && !errors.Is(err, errUnanswered):
			r.Note = join(r.Note, "the replica did not wait for the answer")
		case r.Verb == history.VerbWatch && r.Code != 0:
			r.Note = join(r.Note, "the stream broke off: "+err.Error())
		default:
			r.Code = http.StatusServiceUnavailable
			r.Reason = string(metav1.StatusReasonServiceUnavailable)
			r.Note = join(r.Note, "connection dropped: "+err.Error())
		}
	})
}

func logicalVerb(info *request.RequestInfo) string {
	if !info.IsResourceRequest {
		return history.VerbOther
	}
	switch info.Verb {
	case "get", "list", "watch", "create", "update", "delete":
		return info.Verb
	case "patch":
		return history.VerbUpdate
	case "deletecollection":
		return history.VerbDelete
	default:
		return history.VerbOther
	}
}

func isApply(in *http.Request) bool {
	return strings.HasPrefix(in.Header.Get("Content-Type"), "application/apply-patch")
}

// isTrue reads a parameter as the API server does: whatever is not false is true.
func isTrue(value string) bool {
	return value != "" && value != "0" && !strings.EqualFold(value, "false")
}

func notImplemented(message string) *metav1.Status {
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotImplemented, Reason: "NotImplemented", Message: message,
	}
}

func join(notes ...string) string {
	var kept []string
	for _, note := range notes {
		if note != "" {
			kept = append(kept, note)
		}
	}
	return strings.Join(kept, "; ")
}
