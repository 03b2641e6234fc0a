package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// prior is an object just before it is written.
type prior struct {
	// object is nil if there is none.
	object object
	// unread is why the object is not known.
	unread error
	// ownerGeneration is the newest generation of its owner that the replicas have seen, if
	// it is about to be deleted.
	ownerGeneration int64
}

// readBefore returns the object that is about to be written by name. If the write is for one
// version of the object only, base, and the replica was shown that one, it is taken. Otherwise
// the object is read. If it does not exist, an apply is a create, and readBefore records that.
func (p *Proxy) readBefore(ctx context.Context, x exchange, base string) prior {
	switch x.info.Verb {
	case "update", "patch", "delete":
	default:
		if x.done() == "" {
			return prior{}
		}
	}
	if x.info.Name == "" || !x.info.IsResourceRequest || x.dryRun {
		return prior{}
	}
	if known := p.versions.find(x.key(), base); known != nil {
		return prior{object: known}
	}
	found, err := p.readNow(ctx, x.incoming)
	if err == nil && found == nil && x.info.Subresource == "" && x.isApply() {
		x.record.Update(func(r *history.Request) { r.Verb = history.VerbCreate })
	}
	before := prior{object: found, unread: err}
	if x.info.Verb == "delete" {
		before.ownerGeneration = p.ownerGeneration(found)
	}
	return before
}

// hasStatusAlready says whether an object has the status that a request was to give it.
func (p *Proxy) hasStatusAlready(ctx context.Context, in incoming, sent []byte) bool {
	wanted, err := decodeObject(sent)
	if err != nil {
		return false // there is none, or it is not JSON
	}
	found, err := p.readNow(ctx, in)
	return err == nil && found != nil && reflect.DeepEqual(wanted["status"], found["status"])
}

// ownerGeneration returns the newest generation of an object's controlling owner that the
// replicas have seen.
func (p *Proxy) ownerGeneration(of object) int64 {
	owners := of.owners()
	owner := slices.IndexFunc(owners, func(o history.Owner) bool { return o.Controller })
	if owner < 0 {
		return 0
	}
	return p.options.Recorder.Generation(p.options.Scenario, owners[owner].UID)
}

// readNow reads the object that a write is about, also if the write is of a subresource: a
// Scale, for example, does not say whose it is.
func (p *Proxy) readNow(ctx context.Context, in incoming) (object, error) {
	path := in.info.Path
	if in.info.Subresource != "" {
		path = strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/"+in.info.Subresource)
	}
	return p.cluster.get(ctx, path)
}

// written returns what to record about an accepted write.
func (p *Proxy) written(
	ctx context.Context, in incoming, before prior, code int, body []byte,
) func(*history.Request) {
	if in.dryRun {
		return func(r *history.Request) { r.Code = code }
	}
	// If the answer cannot be read, after is nil. The object is then read again if that is
	// needed.
	after, _ := decodeObject(body)
	if after.isTable() {
		after = after.outOfTable(in.info.Verb == "deletecollection")
	}
	if code == http.StatusCreated && in.done() == "" {
		before = prior{} // what was there has gone meanwhile
	}
	effect, now, note := p.effect(ctx, in, before, code, after)
	after = completed(after, before.object, now)
	ownerGeneration := before.ownerGeneration
	if before.object == nil {
		ownerGeneration = p.ownerGeneration(after) // not below, because the record is locked then
	}
	return func(r *history.Request) {
		r.Code = code
		r.Effect = effect
		r.AddNote(note)
		if r.Verb == history.VerbUpdate && code == http.StatusCreated {
			r.Verb = history.VerbCreate
		}
		if in.info.Verb == "patch" && code == http.StatusOK {
			r.Verb = history.VerbUpdate
		}
		if verb := in.done(); verb != "" {
			r.Verb = verb
		}
		if was := before.object; was != nil {
			r.UID, r.GenerationBefore, r.Owners = was.uid(), was.generation(), was.owners()
			r.Bystander = was.bystander()
			if in.info.Verb == "delete" {
				r.OwnerGeneration, r.Fixed = ownerGeneration, was.fixed(in.resource())
			}
		}
		if in.info.Verb == "deletecollection" && after != nil {
			r.Bystander = slices.ContainsFunc(after.maps("items"), object.bystander)
		}
		if after == nil || after.isAnswer() || in.info.Verb == "deletecollection" {
			return
		}
		recordObject(r, in, after)
		if before.object == nil {
			r.Owners, r.OwnerGeneration, r.Fixed = after.owners(), ownerGeneration, after.fixed(in.resource())
			return
		}
		recordDifference(r, before.object, after)
	}
}

// recordObject records what an object says of itself after a write.
func recordObject(r *history.Request, in incoming, after object) {
	r.Name = cmp.Or(r.Name, after.name())
	r.UID = after.uid()
	r.ResourceVersion = after.resourceVersion()
	r.Generation = after.generation()
	r.Holder = after.holder()
	r.Lock = r.Lock || after.isLock()
	if r.IsEvent() {
		r.EventReason = after.string("reason")
	}
	if in.info.Subresource == "status" {
		r.StatusFields = after.statusFields()
	}
}

// recordDifference records what a write has changed in an object.
func recordDifference(r *history.Request, before, after object) {
	d := differenceOf(before, after)
	r.Changed, r.Values, r.OnlyTimes = d.paths, d.values, d.onlyTimes
	r.Disowned = disowned(before, after)
	r.Finalizers = added(before.finalizers(), after.finalizers())
	r.Freed = before.terminating() && len(before.finalizers()) > 0 && len(after.finalizers()) == 0
}

// disowned says whether an object has lost its controlling owner, and has got no other.
func disowned(before, after object) bool {
	controlled := func(o object) bool {
		return slices.ContainsFunc(o.owners(), func(owner history.Owner) bool { return owner.Controller })
	}
	return controlled(before) && !controlled(after)
}

// completed returns the answer to a write as the whole object. It may have another shape: its
// metadata alone (as=PartialObjectMetadata), or a Scale. Fields that are not in such an answer
// have not been removed. They are those that were found after the write, now, or else those
// from before it.
func completed(answer, before, now object) object {
	if answer == nil || before == nil || answer.isAnswer() || answer.uid() != "" && answer.uid() != before.uid() || answer.sameAs(before) {
		return answer
	}
	whole := now
	if !whole.sameAs(before) {
		whole = before
	}
	whole = maps.Clone(whole)
	if answer.kind() == "PartialObjectMetadata" {
		whole["metadata"] = answer["metadata"]
		return whole
	}
	metadata := maps.Clone(whole.metadata())
	metadata["resourceVersion"] = answer.resourceVersion()
	whole["metadata"] = metadata
	return whole
}

// effect returns the effect of an accepted write, and the object as it is after that, if it
// was read again. If the effect is not certain, it also returns a note. after may be nil.
func (p *Proxy) effect(
	ctx context.Context, in incoming, before prior, code int, after object,
) (effect history.Effect, now object, note string) {
	resource := in.resource()
	said := history.Request{Group: resource.Group, Resource: resource.Resource, Subresource: in.info.Subresource}
	switch {
	case isReview(resource), resource.Group == "" && in.info.Subresource == "token", said.IntoPod():
		return history.EffectNoop, nil, ""
	case in.info.Verb == "create", code == http.StatusCreated:
		return history.EffectEffective, nil, ""
	case in.info.Verb == "deletecollection":
		if after != nil && !after.isAnswer() && !deletedAny(after) {
			return history.EffectNoop, nil, ""
		}
		return history.EffectEffective, nil, ""
	}

	was := before.object
	if was == nil {
		return history.EffectEffective, nil, uncompared(before.unread)
	}
	if in.info.Verb == "delete" || after == nil || !after.sameAs(was) {
		// The answer to a deletion may be the object as it was, or no object at all. The
		// answer to another write may be only a part of the object.
		var err error
		if now, err = p.readNow(ctx, in); err != nil {
			return history.EffectEffective, nil, uncompared(err)
		}
		if now == nil || now.uid() != was.uid() {
			return history.EffectEffective, now, ""
		}
		after = now
	}
	hasStatus, err := p.resources.hasStatus(ctx, in.groupVersion(), in.info.Resource)
	if err != nil {
		return history.EffectEffective, now, uncompared(err)
	}
	if now != nil && hasStatus && in.info.Subresource != "status" {
		now = now.withStatusOf(was) // others may have written it meanwhile, and this write has not
	}
	return compare(was, after, part{subresource: in.info.Subresource, hasStatus: hasStatus}), now, ""
}

// uncompared says why a write cannot be compared. It may have changed something, so it counts
// as effective.
func uncompared(err error) string {
	if err != nil {
		return "not compared: " + err.Error()
	}
	return "not compared: the object was not there just before"
}

// revisionAnnotation is written by the Deployment controller, on objects that the
// controller under test owns.
const revisionAnnotation = "deployment.kubernetes.io/revision"

// part is the part of an object that a request can change.
type part struct {
	subresource string
	hasStatus   bool // the status is a subresource
}

// compare says whether the object changed between two versions because of the put or
// patch.
func compare(before, after object, written part) history.Effect {
	// When the last finalizer is removed, the answer still has the old version, although
	// the object is gone.
	if before.resourceVersion() == after.resourceVersion() && before.uid() == after.uid() && !before.terminating() {
		return history.EffectNoop
	}
	if reflect.DeepEqual(written.of(before), written.of(after)) {
		return history.EffectNoop
	}
	return history.EffectEffective
}

// of returns the part of an object, without what others write. It does not change the
// object.
func (p part) of(o object) object {
	if p.subresource == "status" {
		return object{
			"uid":           o.uid(),
			"status":        o["status"],
			"managedFields": managedFields(o, func(subresource string) bool { return subresource == "status" }),
		}
	}

	masked := maps.Clone(o)
	if p.hasStatus || p.subresource != "" {
		delete(masked, "status")
	}
	metadata := maps.Clone(o.metadata())
	delete(metadata, "resourceVersion")
	delete(metadata, "managedFields")
	if annotations := o.annotations(); annotations[revisionAnnotation] != nil {
		annotations = maps.Clone(annotations)
		delete(annotations, revisionAnnotation)
		metadata["annotations"] = annotations
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	masked["metadata"] = metadata
	masked["managedFields"] = managedFields(o, func(subresource string) bool {
		return subresource != "status" || !p.hasStatus
	})
	return masked
}

// managedFields returns the entries of the wanted subresources. Their times count too:
// only a write that changed something changes them.
func managedFields(o object, wanted func(subresource string) bool) []object {
	var entries []object
	for _, entry := range o.maps("metadata", "managedFields") {
		if wanted(entry.string("subresource")) {
			entries = append(entries, entry)
		}
	}
	return entries
}

// deletedAny says whether the deletion of a collection deleted any object that was not
// already terminating. The answer to such a deletion is the list of the objects it found.
func deletedAny(list object) bool {
	for _, item := range list.maps("items") {
		if !item.terminating() {
			return true
		}
	}
	return false
}

// difference is what differs between two versions of an object.
type difference struct {
	// paths of the fields, such as status.phase or
	// spec.template.spec.containers[0].image. The last may say how many more there are.
	paths  []string
	values []history.Change
	// onlyTimes is true if something differs, and nothing but times does.
	onlyTimes bool
}

// differenceOf returns what differs between two versions of an object. It leaves out what the
// API server itself maintains.
func differenceOf(before, after object) difference {
	d := difference{onlyTimes: true}
	more := 0
	d.paths, d.values, more = history.Changes(before, after, func(was, is any) {
		d.onlyTimes = d.onlyTimes && isTime(was) && isTime(is)
	})
	d.onlyTimes = d.onlyTimes && len(d.paths) > 0
	if more > 0 {
		d.paths = append(d.paths, fmt.Sprintf("and %d more", more))
	}
	return d
}

// earliest and latest are numbers of seconds since 1970, of the years 2017 and 2036. Other
// numbers are not times of today, but numbers of bytes, for example.
const earliest, latest = 1_500_000_000, 2_100_000_000

// isTime says whether a value is a point in time: a text as in RFC 3339, or the seconds,
// or parts of seconds, since 1970.
func isTime(value any) bool {
	switch value := value.(type) {
	case string:
		_, err := time.Parse(time.RFC3339, value)
		return err == nil
	case json.Number:
		number, err := value.Float64()
		return err == nil && slices.ContainsFunc([]float64{1, 1e3, 1e6, 1e9}, func(parts float64) bool {
			return number >= earliest*parts && number < latest*parts
		})
	}
	return false
}
