package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Fault changes what the controller under test experiences of its API calls:
// they fail, are late, are lost, or are answered from the past. It acts from its
// creation until it is exhausted or deleted; deleting it restores normal traffic at
// once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.spec.target`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Hits",type=integer,JSONPath=`.status.hits`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Fault struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a fault cannot be changed: delete it and create another"
	Spec   FaultSpec   `json:"spec"`
	Status FaultStatus `json:"status,omitempty"`
}

// FaultSpec says whose requests are hit, which of them, how often, and by what.
//
// +kubebuilder:validation:XValidation:rule="!has(self.action.watch) && !has(self.action.stale) && !has(self.action.restored) && !has(self.action.pages) && !has(self.action.halfAnswer) || !has(self.match.verbs) || self.match.verbs.all(v, v in ['list', 'watch', 'get'])",message="watch, stale, restored, pages and halfAnswer act on reads: match.verbs can only be get, list and watch"
// +kubebuilder:validation:XValidation:rule="!has(self.action.crash) && !has(self.action.holdAnswer) || !has(self.match.verbs) || self.match.verbs.all(v, v in ['create', 'update', 'delete'])",message="crash and holdAnswer act on writes: match.verbs can only be create, update and delete"
// +kubebuilder:validation:XValidation:rule="!has(self.match.everything) || !self.match.everything || has(self.action.respond) || has(self.action.delayMs) || has(self.action.disconnect) || has(self.action.loseResponse) || has(self.action.hold) || has(self.action.hang)",message="match.everything goes with respond, delayMs, disconnect, loseResponse, hold and hang: the other actions are for reads or for writes"
type FaultSpec struct {
	// target says whose requests are hit: All, Leader, Standby or the name of a
	// replica.
	// +kubebuilder:default=All
	// +kubebuilder:validation:MinLength=1
	Target string `json:"target,omitempty"`

	// match says which requests are hit.
	// +optional
	Match FaultMatch `json:"match,omitempty"`

	// times is how many requests are hit. Left out: every one, until the Fault
	// is deleted.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Times *int32 `json:"times,omitempty"`

	// optional is true if the Fault need not fire. Any other Fault that has
	// not fired by the scenario's end makes its verdict inconclusive.
	// +optional
	Optional bool `json:"optional,omitempty"`

	// expectedWith is a feature without which the Fault need not fire: if the
	// profile does not claim it, the Fault is optional.
	// +optional
	ExpectedWith Feature `json:"expectedWith,omitempty"`

	// expectedHits is how many requests it must hit before its verdict is Met. Left
	// out: as many as times says, or as action.respond has codes, or one.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ExpectedHits int64 `json:"expectedHits,omitempty"`

	// scope says what a cut takes down: the Stream of the one request, or the
	// whole Connection, with the watches and the Lease's renewals on it.
	// +kubebuilder:default=Stream
	// +kubebuilder:validation:Enum=Stream;Connection
	Scope FaultScope `json:"scope,omitempty"`

	// action is what happens to the requests.
	Action FaultAction `json:"action"`
}

// FaultMatch selects requests, and lets the first of them pass.
//
// +kubebuilder:validation:XValidation:rule="!has(self.everything) || !self.everything || !has(self.verbs) && !has(self.resources) && !has(self.subresource) && !has(self.names) && !has(self.acrossNamespaces) && !has(self.continues)",message="everything selects all requests: leave out verbs, resources, subresource, names, acrossNamespaces and continues"
type FaultMatch struct {
	RequestMatch `json:",inline"`

	// everything is true if really all requests are hit: also what is about no
	// object, such as discovery, /version and /healthz, and Leases, Events, token and
	// access reviews, which an empty match leaves out.
	// +optional
	Everything bool `json:"everything,omitempty"`

	// skip is how many matching requests pass before the first is hit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Skip int32 `json:"skip,omitempty"`

	// continues is true if only lists are hit that continue another: all pages but
	// the first.
	// +optional
	Continues bool `json:"continues,omitempty"`
}

// FaultScope says what a cut takes down.
type FaultScope string

// The scopes of a Fault.
const (
	ScopeStream     FaultScope = "Stream"
	ScopeConnection FaultScope = "Connection"
)

// FaultPhase says how far a Fault is.
type FaultPhase string

// The phases of a Fault.
const (
	// FaultArmed is in force, and has hit nothing yet.
	FaultArmed FaultPhase = "Armed"
	// FaultActive has hit something, and goes on.
	FaultActive FaultPhase = "Active"
	// FaultExhausted has hit as many requests as it should. Traffic is normal again.
	FaultExhausted FaultPhase = "Exhausted"
	// FaultInvalid can never act; the message says why.
	FaultInvalid FaultPhase = "Invalid"
)

// FaultStatus says what the Fault has done.
type FaultStatus struct {
	// phase of the Fault.
	// +optional
	Phase FaultPhase `json:"phase,omitempty"`
	// verdict is Met as soon as the Fault has hit as many requests as expected. If the
	// Fault need not fire, it is Met from the beginning.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// hits counts the requests, or the open streams, that it acted on.
	Hits int64 `json:"hits"`
	// byResource counts them by resource, as plural.group.
	// +optional
	ByResource map[string]int64 `json:"byResource,omitempty"`
	// hidden counts the events of watches that were kept from the controller.
	// +optional
	Hidden int64 `json:"hidden,omitempty"`
	// message says what is wrong with it, or what it hit last.
	// +optional
	Message string `json:"message,omitempty"`
}

// FaultList is a list of Faults.
//
// +kubebuilder:object:root=true
type FaultList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Fault `json:"items"`
}
