package proxy

import (
	"context"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/history"
)

// readBefore reads the object that is about to be written by name, and with that learns what an apply will mean.
func (p *Proxy) readBefore(ctx context.Context, x *exchange) {
	switch x.info.Verb {
	case "update", "patch", "delete":
	default:
		return
	}
	if x.info.Name == "" || !x.info.IsResourceRequest {
		return
	}
	x.before, x.unread = p.readNow(ctx, x)
	if x.unread == nil && x.before == nil && x.info.Subresource == "" && isApply(x.in) {
		x.record.Update(func(r *history.Request) { r.Verb = history.VerbCreate })
	}
}

// readNow reads what is under the path of a write: where that cannot be read, the object that it belongs to.
func (p *Proxy) readNow(ctx context.Context, x *exchange) (object, error) {
	found, err := p.cluster.get(ctx, x.info.Path)
	if apierrors.IsMethodNotSupported(err) && x.info.Subresource != "" {
		parent := strings.TrimSuffix(strings.TrimSuffix(x.info.Path, "/"), "/"+x.info.Subresource)
		return p.cluster.get(ctx, parent)
	}
	return found, err
}

// judge tells what an accepted write did, for the record.
func (p *Proxy) judge(ctx context.Context, x *exchange, code int, body []byte) func(*history.Request) {
	// What cannot be read is nil, and is asked for again where it matters.
	after, _ := decodeObject(body)
	effect, note := p.effect(ctx, x, code, after)
	return func(r *history.Request) {
		r.Code = code
		r.Effect = effect
		r.Note = join(r.Note, note)
		if r.Verb == history.VerbUpdate && code == http.StatusCreated {
			r.Verb = history.VerbCreate
		}
		if x.info.Verb == "patch" && code == http.StatusOK {
			r.Verb = history.VerbUpdate
		}
		if x.before != nil {
			r.UID, r.GenerationBefore, r.Owners = x.before.uid(), x.before.generation(), x.before.owners()
		}
		if after == nil || after.isAnswer() || x.info.Verb == "deletecollection" {
			return
		}
		r.Name = firstOf(r.Name, after.name())
		r.UID = after.uid()
		r.ResourceVersion = after.resourceVersion()
		r.Generation = after.generation()
		r.Holder = after.holder()
		if x.before == nil {
			r.Owners = after.owners()
		}
	}
}

// effect of an accepted write, with a note where it is not certain. The answer may be nil.
func (p *Proxy) effect(ctx context.Context, x *exchange, code int, after object) (history.Effect, string) {
	resource := schema.GroupResource{Group: x.info.APIGroup, Resource: x.info.Resource}
	switch {
	case isReview(resource), resource.Group == "" && x.info.Subresource == "token", dryRun(x.in):
		return history.EffectNoop, ""
	case x.info.Verb == "create", code == http.StatusCreated:
		return history.EffectEffective, ""
	case x.info.Verb == "deletecollection":
		if after != nil && !after.isAnswer() && !deletedAny(after) {
			return history.EffectNoop, ""
		}
		return history.EffectEffective, ""
	}

	if x.before == nil {
		return uncertain(x.unread)
	}
	if x.info.Verb == "delete" || after == nil || !after.sameAs(x.before) {
		// The answer to a deletion may be the object as it was, or no object at all; one to a write may be a part
		// of the object.
		var err error
		if after, err = p.readNow(ctx, x); err != nil {
			return uncertain(err)
		}
		if after == nil || after.uid() != x.before.uid() {
			return history.EffectEffective, ""
		}
	}
	gv := schema.GroupVersion{Group: x.info.APIGroup, Version: x.info.APIVersion}
	hasStatus, err := p.resources.hasStatus(ctx, gv, x.info.Resource)
	if err != nil {
		return uncertain(err)
	}
	return compare(x.before, after, part{subresource: x.info.Subresource, hasStatus: hasStatus}), ""
}

// uncertain is the effect of a write that cannot be compared. It may have had one, so it counts.
func uncertain(err error) (history.Effect, string) {
	note := "not compared: the object was not there just before"
	if err != nil {
		note = "not compared: " + err.Error()
	}
	return history.EffectEffective, note
}

func dryRun(in *http.Request) bool { return in.URL.Query().Get("dryRun") != "" }

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
