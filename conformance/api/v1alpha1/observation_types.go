package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Observation looks at what the controller's requests cannot show: the whole history of
// objects, what a replica serves on a port, or what it writes to its log. From its
// creation on it checks each version, or reading, with a rule that must never be true,
// or with one that must become true in time.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Resource",type=string,JSONPath=`.spec.resource`
// +kubebuilder:printcolumn:name="Name",type=string,JSONPath=`.spec.name`
// +kubebuilder:printcolumn:name="Endpoint",type=string,JSONPath=`.spec.endpoint.name`
// +kubebuilder:printcolumn:name="Log of",type=string,JSONPath=`.spec.log.replica`,priority=1
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Versions",type=integer,JSONPath=`.status.versions`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Observation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="an observation cannot be changed: create another"
	Spec   ObservationSpec   `json:"spec"`
	Status ObservationStatus `json:"status,omitempty"`
}

// ObservationSpec says what is looked at: a resource, an endpoint or a log.
//
// +kubebuilder:validation:XValidation:rule="[has(self.resource), has(self.endpoint), has(self.log)].exists_one(given, given)",message="give exactly one of resource, endpoint and log"
// +kubebuilder:validation:XValidation:rule="!has(self.resource) || has(self.never) || has(self.eventually)",message="say what is never to be, or what is eventually: give never, eventually or both"
// +kubebuilder:validation:XValidation:rule="has(self.eventually) || !has(self.within)",message="within is for eventually: give that too"
// +kubebuilder:validation:XValidation:rule="has(self.resource) && has(self.eventually) || !has(self.after)",message="after is for resource and eventually: give them too"
// +kubebuilder:validation:XValidation:rule="has(self.eventually) || !has(self.optional) || !self.optional",message="optional is for eventually: give that too"
// +kubebuilder:validation:XValidation:rule="has(self.eventually) || !has(self.excludesWaiting) || !self.excludesWaiting",message="excludesWaiting is for eventually: give that too"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || !has(self.where)",message="where selects objects: give their resource"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || !has(self.name)",message="name is the name of an object: give its resource"
type ObservationSpec struct {
	// resource as plural or plural.group: webapps, deployments.apps, pods.
	// +optional
	// +kubebuilder:validation:MinLength=1
	Resource string `json:"resource,omitempty"`

	// name of the object; empty for all objects of the resource in the
	// Observation's namespace.
	// +optional
	Name string `json:"name,omitempty"`

	// never is a CEL expression. A version for which it is true is a violation.
	// Its variables are new, the version just seen (null if the object was just deleted);
	// old, the version before it (null if the object is seen for the first time); first, the
	// version that was seen first; all, the objects that are there now; and claims, as the
	// profile declares them. For an endpoint or a log, new, old and first are what
	// status.endpoint or status.log has. Use has() or optional access
	// (new.?status.?phase) for what may be absent: an expression that cannot be evaluated
	// makes the Observation Invalid.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Never string `json:"never,omitempty"`

	// eventually is a CEL expression of the same kind, which must be true of some
	// version. Versions that exist at the beginning count. If no object exists then,
	// that counts as a version, too: new is null.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Eventually string `json:"eventually,omitempty"`

	// where is a CEL expression of new, which is never null here: for an object that
	// was deleted it is the last version. Versions for which it is false are not looked
	// at, and are not in all.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Where string `json:"where,omitempty"`

	// optional is true if eventually need not come true: the Observation waits for
	// it as long as within says, and its verdict is Met in any case.
	// +optional
	Optional bool `json:"optional,omitempty"`

	// within is how long that may take, from the creation of the Observation on.
	// Left out: 45 s, times --timeout-scale.
	// +optional
	Within *TimeBound `json:"within,omitempty"`

	// after names another Observation of a resource in the namespace. The first version for
	// which eventually is true there must be older than the first such version here.
	// +optional
	After string `json:"after,omitempty"`

	// excludesWaiting makes within longer by the time in which any request of the
	// subject waited for its answer: within is then the subject's own time, however
	// slow the API server is. It becomes at most five times as long.
	// +optional
	ExcludesWaiting bool `json:"excludesWaiting,omitempty"`

	// feature that the profile must claim for any of this to be expected. If the
	// profile does not claim it, the verdict is Met.
	// +optional
	Feature Feature `json:"feature,omitempty"`

	// endpoint of a replica, read every second.
	// +optional
	Endpoint *ObservedEndpoint `json:"endpoint,omitempty"`

	// log of a replica, read every second from its beginning.
	// +optional
	Log *ObservedLog `json:"log,omitempty"`
}

// ObservedEndpoint is something that a replica serves over HTTP.
type ObservedEndpoint struct {
	// replica by its name, such as subject-0.
	// +kubebuilder:validation:MinLength=1
	Replica string `json:"replica"`
	// name of the endpoint. The profile says where it is.
	// +kubebuilder:validation:Enum=metrics;health
	Name EndpointName `json:"name"`
	// metrics whose values are shown, by name. Left out: those that the profile
	// declares.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=50
	Metrics []string `json:"metrics,omitempty"`
	// gauges is true if the readings include the gauges that may count objects.
	// +optional
	Gauges bool `json:"gauges,omitempty"`
}

// EndpointName names an endpoint of a replica.
type EndpointName string

// The endpoints of a replica.
const (
	EndpointMetrics EndpointName = "metrics"
	EndpointHealth  EndpointName = "health"
)

// ObservedLog is what a replica writes, its standard output and error. Lines
// that tell of one failure are looked for.
type ObservedLog struct {
	// replica by its name, such as subject-0.
	// +kubebuilder:validation:MinLength=1
	Replica string `json:"replica"`
	// object that failed, by name; it is in the Observation's namespace.
	// +kubebuilder:validation:MinLength=1
	Object string `json:"object"`
	// error is a part of the failure's text.
	// +kubebuilder:validation:MinLength=1
	Error string `json:"error"`
}

// ObservationPhase says whether the Observation is at work.
type ObservationPhase string

// The phases of an Observation.
const (
	ObservationWatching ObservationPhase = "Watching"
	ObservationInvalid  ObservationPhase = "Invalid"
)

// ObservationStatus is what was seen so far.
type ObservationStatus struct {
	// phase is Watching once the watch is open, or the first reading taken: what
	// happens from then on is seen. Invalid if the resource or the expression
	// is not understood, or there is no such replica or endpoint.
	// +optional
	Phase ObservationPhase `json:"phase,omitempty"`
	// verdict on never and eventually. Without eventually, it is Met as long as never has
	// not come true.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says why it is Invalid, or what was expected and seen.
	// +optional
	Message string `json:"message,omitempty"`
	// proved is true if the verdict is NotMet by versions that must never have been:
	// however slow the machine is, they count.
	// +optional
	Proved bool `json:"proved,omitempty"`
	// versions of objects seen so far. If nothing else changes, this and the two fields
	// below may be half a second old.
	Versions int64 `json:"versions"`
	// statuses seen so far: the versions whose status differs from the version before.
	Statuses int64 `json:"statuses"`
	// seenResourceVersion is the newest version that was judged.
	// +optional
	SeenResourceVersion string `json:"seenResourceVersion,omitempty"`
	// violations, the first 20.
	Violations []ObservedViolation `json:"violations"`
	// order says what came true in the wrong order, if that is why the verdict is NotMet.
	// +optional
	Order *ObservedOrder `json:"order,omitempty"`
	// endpoint, as it answered.
	// +optional
	Endpoint *EndpointReadings `json:"endpoint,omitempty"`
	// log, as far as it was read.
	// +optional
	Log *LogReadings `json:"log,omitempty"`
}

// ObservedViolation is one version that must never have been.
type ObservedViolation struct {
	// name of the object.
	Name string `json:"name"`
	// resourceVersion of the version.
	ResourceVersion string `json:"resourceVersion"`
	// generation of the version.
	Generation int64 `json:"generation"`
	// excerpt holds spec and status of the version, as JSON, cut short.
	Excerpt string `json:"excerpt"`
	// holds is the part of never that came true, if it names several things.
	// +optional
	Holds string `json:"holds,omitempty"`
	// uid of the object.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// deleted is true if the object was deleted then, and the version is its last.
	// +optional
	Deleted bool `json:"deleted,omitempty"`
	// changed are the fields that never reads and that were different in the version before,
	// or in the first one, with both values.
	// +optional
	Changed []string `json:"changed,omitempty"`
}

// ObservedOrder are two versions that came in the wrong order.
type ObservedOrder struct {
	// early is the version that came first, and had to come last.
	Early ObservedVersion `json:"early"`
	// late is the version that came last, and had to come first.
	Late ObservedVersion `json:"late"`
}

// ObservedVersion is a version of an object, or its deletion.
type ObservedVersion struct {
	// resource as plural or plural.group.
	Resource string `json:"resource"`
	// name of the object.
	Name string `json:"name"`
	// resourceVersion of the version.
	ResourceVersion string `json:"resourceVersion"`
	// uid of the object.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// deleted is true if the object was deleted then.
	// +optional
	Deleted bool `json:"deleted,omitempty"`
}

// ObservationList is a list of Observations.
//
// +kubebuilder:object:root=true
type ObservationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Observation `json:"items"`
}
