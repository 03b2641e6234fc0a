package history

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The logical verbs: what a request means, whatever its HTTP method.
const (
	VerbGet    = "get"
	VerbList   = "list"
	VerbWatch  = "watch"
	VerbCreate = "create" // a server-side apply of an absent object too
	VerbUpdate = "update" // every put, patch and apply of a present object
	VerbDelete = "delete" // a deletion of a collection too
	VerbOther  = "other"  // discovery, health and all else that is no object
)

// Effect says what a request did to the cluster.
type Effect string

// The effects. A request that reads has none, whatever its answer. A write whose answer
// never came has none either, and its Note says so.
const (
	EffectNone      Effect = "none"
	EffectEffective Effect = "effective" // an object exists that did not, is gone, or has changed
	EffectNoop      Effect = "noop"      // accepted, and nothing changed
	EffectRefused   Effect = "refused"   // answered with an error
)

// Request is one request of a replica, and what became of it.
type Request struct {
	// Seq numbers requests and events in the order in which they began, from 1.
	Seq int64 `json:"seq"`
	// Time at which the request arrived at the proxy.
	Time time.Time `json:"time"`

	// Scenario is the namespace of the Subject.
	Scenario string `json:"scenario"`
	Subject  string `json:"subject"`
	Replica  string `json:"replica"`

	// Verb is the logical verb.
	Verb string `json:"verb"`
	// StreamingList marks a watch that begins with a list of what exists. It matches
	// list and watch alike.
	StreamingList bool   `json:"streamingList,omitempty"`
	Method        string `json:"method"`
	// Apply marks a server-side apply.
	Apply bool `json:"apply,omitempty"`
	// Path with its query, as the replica sent it.
	Path string `json:"path"`

	Group       string `json:"group,omitempty"`
	Version     string `json:"version,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`

	// Code is the HTTP status of the answer, 0 where there was none. It is 503, too,
	// where the proxy aborted the request because the API server did not answer.
	Code int `json:"code"`
	// Reason and Message of an answer that is an error.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	// UID, ResourceVersion and Generation of the object in the answer to a write.
	UID             types.UID `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
	Generation      int64     `json:"generation,omitempty"`
	// GenerationBefore is the generation just before the write, 0 where the object did
	// not exist.
	GenerationBefore int64 `json:"generationBefore,omitempty"`
	// Owners of the object: just before the write where it existed, in the answer where
	// it did not.
	Owners []Owner `json:"owners,omitempty"`
	// OwnerGeneration is the newest generation of the controller that owns the object,
	// as the replicas had been shown it: just before a deletion, and just after a
	// creation. It is 0 if they were never shown one.
	OwnerGeneration int64 `json:"ownerGeneration,omitempty"`
	// Fixed stands for the fields of a deleted or created object that the API server
	// lets nobody change: if these differ, Fixed does. It is empty for a kind in which
	// none are known.
	Fixed string `json:"fixed,omitempty"`
	// Holder is the holderIdentity in the answer to a write of a Lease.
	Holder string `json:"holder,omitempty"`
	// StatusFields are the fields of the status that hold something after a write of it.
	StatusFields []string `json:"statusFields,omitempty"`
	// Changed are the fields in which the object differs after the write from what it was
	// just before, by their paths.
	Changed []string `json:"changed,omitempty"`
	// OnlyMetadata is true for a patch that names nothing but the metadata of the object.
	OnlyMetadata bool `json:"onlyMetadata,omitempty"`
	// EventReason is the reason in the answer to a write of an Event.
	EventReason string `json:"eventReason,omitempty"`
	// Bystander is true for a write to an object that the bench made to look like a child
	// of the controller, and for a deletion of many objects that took one along.
	Bystander bool `json:"bystander,omitempty"`
	// Finalizers that the write added.
	Finalizers []string `json:"finalizers,omitempty"`

	// Effect of a write.
	Effect Effect `json:"effect"`
	// Duration from the arrival of the request until its answer, or the end of its
	// stream.
	Duration metav1.Duration `json:"duration"`
	// Finished is false while the answer, or its stream, has not ended.
	Finished bool `json:"finished"`

	// Fault that hit the request, by name.
	Fault string `json:"fault,omitempty"`
	// Note says what the proxy did beside forwarding, or what it could not find out.
	Note string `json:"note,omitempty"`
}

// Owner is an owner reference of an object.
type Owner struct {
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	UID        types.UID `json:"uid"`
	Controller bool      `json:"controller,omitempty"`
}

// GroupResource that the request is about.
func (r Request) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}
}

// Failed is true where the request was answered with an error.
func (r Request) Failed() bool { return r.Code >= http.StatusBadRequest }

// Succeeded is true where the request was answered, and not with an error. A watch need
// not have ended.
func (r Request) Succeeded() bool { return r.Code != 0 && !r.Failed() }

// noteDropped begins the note of a request whose connection was dropped.
const noteDropped = "connection dropped"

// Drop notes that the connection of a request was dropped before it was answered.
func (r *Request) Drop(why error) {
	r.Code, r.Reason = http.StatusServiceUnavailable, string(metav1.StatusReasonServiceUnavailable)
	r.AddNote(noteDropped + ": " + why.Error())
}

// AddNote adds to the note of a request. An empty note adds nothing.
func (r *Request) AddNote(note string) {
	switch {
	case note == "":
	case r.Note == "":
		r.Note = note
	default:
		r.Note += "; " + note
	}
}

// NoteAnswerLost is in the note of a request that was carried out, and whose answer a
// Fault kept from the controller.
const NoteAnswerLost = "a fault lost the answer"

// Dropped is true where a Fault had the connection dropped before the answer came.
func (r *Request) Dropped() bool {
	return r.Fault != "" && r.Finished &&
		(strings.Contains(r.Note, noteDropped) || strings.Contains(r.Note, NoteAnswerLost))
}

// WritesLease is true for an accepted write of a Lease. Its Holder is who holds the
// Lease then.
func (r *Request) WritesLease() bool {
	return r.Finished && !r.Failed() && r.Group == "coordination.k8s.io" && r.Resource == "leases" &&
		(r.Verb == VerbCreate || r.Verb == VerbUpdate) && r.ResourceVersion != ""
}

// IsEvent is true for a request for an Event that is not of an election: these have the
// name of its Lease, and a point.
func (r *Request) IsEvent(leases ...string) bool {
	return r.Resource == "events" && (r.Group == "" || r.Group == "events.k8s.io") &&
		!slices.ContainsFunc(leases, func(lease string) bool { return strings.HasPrefix(r.Name, lease+".") })
}

// secondController is how the API server words the refusal of a second controller reference.
const secondController = "Only one reference can have Controller set to true"

// Guarded is true for a server-side apply that the API server refused because it
// carries a controller reference, and the object has another controller. Such an apply
// is always refused, so it could never have changed what another one controls.
func (r *Request) Guarded() bool {
	return r.Apply && r.Code == http.StatusUnprocessableEntity && r.Fault == "" && strings.Contains(r.Message, secondController)
}

// Watching is true for a watch that is open now.
func (r Request) Watching() bool {
	return r.Verb == VerbWatch && r.Code == http.StatusOK && !r.Finished
}

// InWords names the request as a person would look for it in history.jsonl:
// #12 create deployments demo.
func (r Request) InWords() string {
	what := r.Resource
	if r.Subresource != "" {
		what += "/" + r.Subresource
	}
	if r.Name != "" {
		what += " " + r.Name
	}
	if what == "" {
		what = r.Path
	}
	return fmt.Sprintf("#%d %s %s", r.Seq, r.Verb, what)
}

// NoteUnawaited is in the note of a request whose replica broke it off.
const NoteUnawaited = "the replica did not wait for the answer"

// Unawaited says whether the replica broke the request off.
func (r *Request) Unawaited() bool { return strings.Contains(r.Note, NoteUnawaited) }

// NoteClusterScoped is the Note of a write that the bench refused though the controller
// had the right to it.
const NoteClusterScoped = "the bench lets nobody write cluster-scoped objects that install.clusterWrites of its profile does not name"
