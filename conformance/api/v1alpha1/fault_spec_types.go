package v1alpha1

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

// FaultAction is what happens to a request. Exactly one is given.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type FaultAction struct {
	// respond to the request in place of the API server, which never sees it.
	// +optional
	Respond *Respond `json:"respond,omitempty"`
	// delayMs holds the request back, in milliseconds, and then lets it pass.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=600000
	DelayMs *int64 `json:"delayMs,omitempty"`
	// disconnect cuts the request off before the API server sees it.
	// +optional
	Disconnect *Empty `json:"disconnect,omitempty"`
	// loseResponse lets the API server do what it is asked for, and cuts the
	// request off before the controller hears of it.
	// +optional
	LoseResponse *Empty `json:"loseResponse,omitempty"`
	// halfAnswer lets the API server answer a get or a list, and cuts the answer in the
	// middle of its body, as a lost connection may do.
	// +optional
	HalfAnswer *Empty `json:"halfAnswer,omitempty"`
	// hold keeps the request open, unanswered and unseen by the API server,
	// until the Fault is deleted; then it passes.
	// +optional
	Hold *Empty `json:"hold,omitempty"`
	// hang leaves the request without an answer for some time, or until the controller no
	// longer waits, and cuts it off then.
	// +optional
	Hang *Hang `json:"hang,omitempty"`
	// holdAnswer lets the API server carry out a write, and keeps its answer until the
	// Fault is deleted. Writes that have no effect are not hit. In a Trial it is deleted when
	// the subject is quiet.
	// +optional
	HoldAnswer *Empty `json:"holdAnswer,omitempty"`
	// watch changes what a watch delivers, on streams that are open already too.
	// +optional
	Watch *WatchAction `json:"watch,omitempty"`
	// stale answers reads that may come from a cache (resourceVersion 0) with the state
	// at the Fault's creation, and freezes the watches that begin there. The guarantees
	// of the API allow both.
	// +optional
	Stale *Stale `json:"stale,omitempty"`
	// restored ends the watches, and answers reads that name a version from before the
	// Fault as an API server does whose store was restored from a backup: too large
	// resource version (504).
	// +optional
	Restored *Empty `json:"restored,omitempty"`
	// pages answers lists that name a limit with one object for each page, and refuses
	// watches that begin with a list (422), as API servers do that have no streaming
	// lists: clients that prefer those then list.
	// +optional
	Pages *Empty `json:"pages,omitempty"`
	// crash kills the replica (SIGKILL) around one of its writes.
	// +optional
	Crash *Crash `json:"crash,omitempty"`
}

// Empty is an action without settings.
type Empty struct{}

// Hang is a request without an answer.
type Hang struct {
	// ms is for how long, in milliseconds. If the Fault is deleted, it ends at once.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=600000
	Ms int64 `json:"ms"`
	// carriedOut is true if the API server does what it is asked for. Otherwise it never
	// sees the request.
	// +optional
	CarriedOut bool `json:"carriedOut,omitempty"`
}

// Stale is an API server whose cache is behind.
type Stale struct {
	// listsOnly refuses watches that begin with a list (422), as API servers do that
	// have no streaming lists. Clients that prefer those are never behind at their
	// start; they then list from the cache as all did before.
	// +optional
	ListsOnly bool `json:"listsOnly,omitempty"`
}

// Respond is an answer in place of the API server's.
type Respond struct {
	// code of the HTTP answer.
	// +kubebuilder:validation:Minimum=400
	// +kubebuilder:validation:Maximum=599
	Code int32 `json:"code"`
	// then are further codes: the first hit is answered with code, the next ones with
	// these, in order, and then from code on again. The Fault is done when each code
	// was given once, unless times or expectedHits say otherwise.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:Minimum=400
	// +kubebuilder:validation:items:Maximum=599
	Then []int32 `json:"then,omitempty"`
	// reason of the Status in its body, such as InternalError. Left out: the
	// one that belongs to the code.
	// +optional
	Reason string `json:"reason,omitempty"`
	// message of the Status.
	// +optional
	Message string `json:"message,omitempty"`
	// retryAfterSeconds is sent as the header Retry-After and in the Status.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RetryAfterSeconds *int32 `json:"retryAfterSeconds,omitempty"`
}

// Crash kills the replica around a write.
type Crash struct {
	// when it dies: Before, so that the API server never sees the write; or
	// After, when the write has had its effect and the controller has not heard
	// of it. After counts effective writes only.
	// +kubebuilder:validation:Enum=Before;After
	When CrashTime `json:"when"`
}

// CrashTime says when a replica dies.
type CrashTime string

// When a replica may die.
const (
	CrashBefore CrashTime = "Before"
	CrashAfter  CrashTime = "After"
)
