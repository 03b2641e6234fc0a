package history

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The logical verbs. They say what a request means, independent of its HTTP method.
const (
	VerbGet    = "get"
	VerbList   = "list"
	VerbWatch  = "watch"
	VerbCreate = "create" // also a server-side apply of an object that does not exist
	VerbUpdate = "update" // every put, patch or apply of an existing object
	VerbDelete = "delete" // also the deletion of a collection
	VerbOther  = "other"  // discovery, health and everything else that is not an object; and dry runs
)

// Effect says what a request changed in the cluster.
type Effect string

// The effects. A read has no effect, whatever its answer. A write that was never answered
// has none either, and its Note says so.
const (
	EffectNone      Effect = "none"
	EffectEffective Effect = "effective" // an object is new, gone, or changed
	EffectNoop      Effect = "noop"      // accepted, but nothing changed
	EffectRefused   Effect = "refused"   // answered with an error
)

// Request is one request of a replica, and what happened to it.
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
	// StreamingList marks a watch that begins with a list of the existing objects. It
	// matches both list and watch.
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
	// GenerateName is the metadata.generateName of a create without a name. Name is what the
	// API server made of it, once it has answered.
	GenerateName string `json:"generateName,omitempty"`

	// Code is the HTTP status of the answer, or 0 if there was none. It is also 503 if the
	// proxy aborted the request because the API server did not answer.
	Code int `json:"code"`
	// Reason and Message of an error answer.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	// UID, ResourceVersion and Generation of the object in the answer to a write.
	UID             types.UID `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
	Generation      int64     `json:"generation,omitempty"`
	// GenerationBefore is the generation just before the write, or 0 if the object did not
	// exist.
	GenerationBefore int64 `json:"generationBefore,omitempty"`
	// Owners of the object just before the write. If the object did not exist, they are
	// those in the answer.
	Owners []Owner `json:"owners,omitempty"`
	// Disowned is true for an update that took the reference of the controlling owner off
	// the object, and named no other controller.
	Disowned bool `json:"disowned,omitempty"`
	// OwnerGeneration is the newest generation of the object's controlling owner that the
	// replicas had seen: just before a deletion, or just after a creation. It is 0 if they
	// had seen none.
	OwnerGeneration int64 `json:"ownerGeneration,omitempty"`
	// Fixed stands for those fields of a deleted or created object that the API server
	// lets nobody change: if they differ, Fixed differs. It is empty for a kind without
	// known fields of this sort.
	Fixed string `json:"fixed,omitempty"`
	// Holder is the holderIdentity in the answer to a write of a Lease.
	Holder string `json:"holder,omitempty"`
	// StatusFields are the fields of the status that have a value after a write of the
	// status.
	StatusFields []string `json:"statusFields,omitempty"`
	// Changed are the paths of the fields that differ between the object just before the
	// write and after it.
	Changed []string `json:"changed,omitempty"`
	// Values are those of the changed fields, before the write and after it. Values that are
	// long or may be secret are left out.
	Values []Change `json:"values,omitempty"`
	// OnlyTimes is true for an update that changed something, but nothing except times.
	OnlyTimes bool `json:"onlyTimes,omitempty"`
	// OnlyMetadata is true for a patch that contains nothing but metadata of the object.
	OnlyMetadata bool `json:"onlyMetadata,omitempty"`
	// EventReason is the reason in the answer to a write of an Event.
	EventReason string `json:"eventReason,omitempty"`
	// Lock is true for a request for a ConfigMap, or for Endpoints, with which an election
	// is held beside the Lease, or instead of it. client-go did so until v0.24.
	Lock bool `json:"lock,omitempty"`
	// Bystander is true for a write to an object that the bench made to look like a child
	// of the controller. It is also true for a deletion of a collection that deleted such
	// an object.
	Bystander bool `json:"bystander,omitempty"`
	// Freed is true for an update that took the last finalizers off an object that was being
	// deleted. The object is gone then.
	Freed bool `json:"freed,omitempty"`
	// Moot is true for an update of the status that was refused with a conflict, while the
	// object had that status already. Nothing is left to write.
	Moot bool `json:"moot,omitempty"`
	// Finalizers that the write added.
	Finalizers []string `json:"finalizers,omitempty"`

	// Effect of a write.
	Effect Effect `json:"effect"`
	// Duration from the arrival of the request until its answer, or until the end of its
	// stream.
	Duration metav1.Duration `json:"duration"`
	// Finished is true if the answer, or its stream, has ended.
	Finished bool `json:"finished"`

	// Fault that hit the request, by name.
	Fault string `json:"fault,omitempty"`
	// Note says what the proxy did in addition to forwarding, or what it could not find
	// out.
	Note string `json:"note,omitempty"`
}

// Owner is an owner reference of an object.
type Owner struct {
	// APIVersion is empty in what was recorded before it was noted.
	APIVersion string    `json:"apiVersion,omitempty"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	UID        types.UID `json:"uid"`
	Controller bool      `json:"controller,omitempty"`
}

// Is says whether the owner is of a kind, in any version of it. Another group may have a kind of
// the same name.
func (o Owner) Is(kind schema.GroupKind) bool {
	group, err := schema.ParseGroupVersion(o.APIVersion)
	return o.Kind == kind.Kind && (o.APIVersion == "" || err == nil && group.Group == kind.Group)
}

// GroupResource returns the resource that the request is about.
func (r Request) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}
}

// End is when the request was answered, or its stream ended.
func (r Request) End() time.Time { return r.Time.Add(r.Duration.Duration) }

// Failed says whether the request was answered with an error.
func (r Request) Failed() bool { return r.Code >= http.StatusBadRequest }

// Succeeded says whether the request was answered without an error. A watch may still be
// open.
func (r Request) Succeeded() bool { return r.Code != 0 && !r.Failed() }

// noteDropped is the beginning of the note of a request whose connection was dropped.
const noteDropped = "connection dropped"

// Drop records that the connection of a request was dropped before it was answered.
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

// NoteAnswerLost is in the note of a request that was carried out, but whose answer a
// Fault kept from the controller.
const NoteAnswerLost = "a fault lost the answer"

// Dropped says whether a Fault dropped the connection before the replica got the answer.
func (r *Request) Dropped() bool {
	return r.Fault != "" && r.Finished &&
		(strings.Contains(r.Note, noteDropped) || strings.Contains(r.Note, NoteAnswerLost))
}

// IsWrite is true for a creation, an update or a deletion, accepted or not.
func (r *Request) IsWrite() bool {
	return r.Verb == VerbCreate || r.Verb == VerbUpdate || r.Verb == VerbDelete
}

// WritesLease is true for an accepted write of a Lease. Its Holder then holds the Lease.
func (r *Request) WritesLease() bool {
	return r.Finished && !r.Failed() && r.isOfLease() &&
		(r.Verb == VerbCreate || r.Verb == VerbUpdate) && r.ResourceVersion != ""
}

// IsElection is true for a request for a Lease, or for another object with which an election
// is held.
func (r *Request) IsElection() bool {
	return r.Lock || r.isOfLease()
}

func (r *Request) isOfLease() bool {
	return r.Group == "coordination.k8s.io" && r.Resource == "leases"
}

// IsEvent is true for a request for an Event, except the Events of an election: their
// names begin with the name of the Lease and a dot.
func (r *Request) IsEvent(leases ...string) bool {
	return r.Resource == "events" && (r.Group == "" || r.Group == "events.k8s.io") &&
		!slices.ContainsFunc(leases, func(lease string) bool { return strings.HasPrefix(r.Name, lease+".") })
}

// IsOf is true for a request for a resource, such as deployments.apps. An Event is the same
// object in both of its groups.
func (r *Request) IsOf(resource string) bool {
	return r.GroupResource().String() == resource || r.IsEvent() && IsEvents(resource)
}

// IsEvents is true for the resource of Events, in either of its groups.
func IsEvents(resource string) bool {
	return resource == "events" || resource == "events.events.k8s.io"
}

// secondController is the API server's message when it refuses a second controller
// reference.
const secondController = "Only one reference can have Controller set to true"

// Guarded is true for a server-side apply that the API server refused because it carries a
// controller reference, but the object has another controller. Such an apply is always
// refused, so it could never have changed an object of another controller.
func (r *Request) Guarded() bool {
	return r.Apply && r.Code == http.StatusUnprocessableEntity && r.Fault == "" && strings.Contains(r.Message, secondController)
}

// Watching is true for a watch that is open now.
func (r Request) Watching() bool {
	return r.Verb == VerbWatch && r.Code == http.StatusOK && !r.Finished
}

// InWords names the request as a person would search for it in history.jsonl: #12 create
// deployments demo.
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

// NoteUnawaited is in the note of a request that the replica broke off.
const NoteUnawaited = "the replica did not wait for the answer"

// Unawaited says whether the replica broke the request off.
func (r *Request) Unawaited() bool { return strings.Contains(r.Note, NoteUnawaited) }

// NoteClusterScoped is the Note of a write that the bench refused although the controller
// had the right to it.
const NoteClusterScoped = "the bench lets nobody write cluster-scoped objects that install.clusterWrites of its profile does not name"

// NoteOutOfScope ends the Note of a request in a namespace that the replica does not see.
const NoteOutOfScope = " is out of scope"

// OnlyManaged says whether an update changed nothing but metadata.managedFields: what it
// says was there already, and now another field manager has said it, too.
func (r Request) OnlyManaged() bool {
	return r.Verb == VerbUpdate && r.Effect == EffectEffective && r.ResourceVersion != "" && r.Note == "" &&
		len(r.Changed) == 0 && r.Generation == r.GenerationBefore
}

// OnlyStarts says whether an update only let a workload start more Pods: it raised the
// number of replicas, or took back that the workload is paused or suspended. Annotations of
// the workload itself may have changed, too, for example a note of what was applied.
func (r *Request) OnlyStarts() bool {
	if r.Verb != VerbUpdate || r.Effect != EffectEffective || r.Subresource != "" && r.Subresource != "scale" {
		return false
	}
	starts := false
	for _, path := range r.Changed {
		if path == "metadata.annotations" || strings.HasPrefix(path, "metadata.annotations.") {
			continue
		}
		n := slices.IndexFunc(r.Values, func(c Change) bool { return c.Path == path })
		if n < 0 || !r.Values[n].starts() {
			return false
		}
		starts = true
	}
	return starts
}

// starts says whether a change of a workload lets it start more Pods.
func (c Change) starts() bool {
	switch c.Path {
	case "spec.replicas":
		was, err := strconv.Atoi(c.Was)
		is, err2 := strconv.Atoi(c.Is)
		return err == nil && err2 == nil && is > was
	case "spec.paused", "spec.suspend":
		return c.Was == "true" && c.Is != "true"
	}
	return false
}
