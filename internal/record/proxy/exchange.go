package proxy

import (
	"cmp"
	"errors"
	"net/http"

	"reconform.dev/reconform/internal/record/history"
)

// exchange is an incoming request, with its record and the writer of its answer. It is
// passed by value: no stage changes it for the one before. Each returns what it found, and the
// next stages get that.
type exchange struct {
	incoming
	record *history.Record
	w      http.ResponseWriter
}

// ServeHTTP serves one request of the replica.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.serving.Done()

	passage := p.passageOf(request.Context())
	if passage == nil {
		panic(http.ErrAbortHandler)
	}
	ctx, cancel := passage.bind(request.Context())
	defer cancel()
	in := p.receive(request.WithContext(ctx), passage)
	x := exchange{incoming: in, record: p.record(in), w: w}
	defer x.record.Finish(nil)
	if err := p.serve(x); err != nil {
		x.record.Finish(broken(in, err))
		panic(http.ErrAbortHandler)
	}
}

// record begins the record of a request.
func (p *Proxy) record(in incoming) *history.Record {
	verb := in.logicalVerb()
	return p.options.Recorder.Begin(history.Request{
		Scenario:      p.options.Scenario,
		Subject:       p.options.Subject,
		Replica:       p.options.Replica,
		Verb:          verb,
		StreamingList: verb == history.VerbWatch && in.beginsWithList(),
		Method:        in.request.Method,
		Apply:         in.isApply(),
		Path:          in.request.RequestURI,
		Group:         in.info.APIGroup,
		Version:       in.info.APIVersion,
		Resource:      in.info.Resource,
		Subresource:   in.info.Subresource,
		Namespace:     in.info.Namespace,
		Name:          in.info.Name,
	})
}

// beginsWithList says whether a watch first sends the existing objects: because it asks
// for that, or because it names no version from which to continue.
func (in incoming) beginsWithList() bool {
	version := in.query("resourceVersion")
	return IsTrue(in.request.URL.Query(), "sendInitialEvents") || version == "" || version == "0"
}

// serve takes a request through its stages. After an error the replica got no answer, or
// an incomplete one.
func (p *Proxy) serve(x exchange) error {
	ctx := x.context()
	if x.upgrades() && x.info.Verb != "watch" {
		return x.answer(notImplemented("the bench does not carry upgraded connections, such as exec and port-forward"))
	}
	if p.tokens.refuses(x.request) {
		return x.answer(unauthorized())
	}
	if x.upgrades() {
		return x.withoutWebSocket()
	}
	sent, err := x.content()
	if err != nil {
		return err
	}
	if sent.dryRun {
		x.dryRun = true
		x.record.Update(func(r *history.Request) { r.Verb = history.VerbOther })
	}
	if sent.name != "" || sent.generateName != "" {
		x.record.Update(func(r *history.Request) { r.Name, r.GenerateName = sent.name, sent.generateName })
	}
	if x.onlyMetadata(sent.known) {
		x.record.Update(func(r *history.Request) { r.OnlyMetadata = true })
	}

	c, err := confine(ctx, &p.options.Scope, x.incoming, p.resources)
	if err != nil {
		return err
	}
	if c.review {
		forbidden, err := p.reviews.authorize(ctx, x.incoming)
		if err != nil {
			return err
		}
		if forbidden != nil {
			return x.answer(*forbidden)
		}
	}
	if c.note != "" {
		x.record.Update(func(r *history.Request) { r.Note = c.note })
	}
	if c.refusal != nil {
		return x.answer(*c.refusal)
	}

	before := p.readBefore(ctx, x, sent.base)
	if err := ctx.Err(); err != nil {
		// The replica no longer waits, or was cut off, so nothing is sent for it.
		return err
	}
	x.keep(sent, before)
	life := p.lifetime(x.incoming)
	defer life.end()
	out := outgoing(life.ctx, p.base, x.incoming, sent.body, c)
	p.tokens.exchange(out.Header)
	got, err := p.ask(life, x, out, sent.base, before)
	if err == nil {
		defer got.Body.Close()
		if got.StatusCode == http.StatusConflict && p.hasStatusAlready(life.ctx, x.incoming, sent.status) {
			x.record.Update(func(r *history.Request) { r.Moot = true })
		}
		err = p.respond(life.ctx, x, c, got)
	}
	return life.why(err)
}

// broken returns what the record says of a request that got no answer, or an incomplete
// one.
func broken(in incoming, err error) func(*history.Request) {
	reason, cut := in.passage.reason()
	_, severs := errors.AsType[severed](err)
	_, streams := errors.AsType[brokenStream](err)
	left := in.context().Err() != nil && !severs && !errors.Is(err, errUnanswered)
	return func(r *history.Request) {
		switch {
		case cut:
			r.Fault = cmp.Or(r.Fault, reason)
			r.AddNote("the replica was cut off")
		case left:
			r.AddNote(history.NoteUnawaited)
		case streams:
			r.AddNote("the stream broke off: " + err.Error())
		default:
			r.Drop(err)
		}
	}
}
