package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Traffic measures what the subject sends during one window of time, and compares it
// with what is expected. It measures from its creation on, and only once: to measure
// again, create another.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Requests",type=integer,JSONPath=`.status.requests`
// +kubebuilder:printcolumn:name="Effective",type=integer,JSONPath=`.status.effective`
// +kubebuilder:printcolumn:name="No-op",type=integer,JSONPath=`.status.noop`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Traffic struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a measurement cannot be changed: create another"
	Spec   TrafficSpec   `json:"spec"`
	Status TrafficStatus `json:"status,omitempty"`
}

// TrafficSpec says whose requests are counted, which, and when.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.excludesWaiting) && self.excludesWaiting && self.start == 'Since')",message="excludesWaiting cannot be used if start is Since"
// +kubebuilder:validation:XValidation:rule="has(self.windowMs) != has(self.window)",message="give either windowMs or window"
type TrafficSpec struct {
	// target says whose requests count: All, Leader, Standby or the name of a
	// replica.
	// +kubebuilder:default=All
	// +kubebuilder:validation:MinLength=1
	Target string `json:"target,omitempty"`

	// match says which requests count. Leases, Events, token and access
	// reviews never do, unless resources names them.
	// +optional
	Match RequestMatch `json:"match,omitempty"`

	// windowMs is how long the window lasts, in milliseconds.
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=3600000
	WindowMs int64 `json:"windowMs,omitempty"`

	// window is how long it lasts if that depends on what the profile declares.
	// +optional
	Window *TimeBound `json:"window,omitempty"`

	// coversResync makes the window at least as long as the resync period that
	// the profile declares, plus 5 s, if that is no more than 35 s.
	// +optional
	CoversResync bool `json:"coversResync,omitempty"`

	// quietCoversResync makes quiet, if start is Quiet, at least as long as the resync
	// period that the profile declares, plus 1 s, if that is no more than 35 s. In that
	// time the subject has looked at every object once by itself.
	// +optional
	QuietCoversResync bool `json:"quietCoversResync,omitempty"`

	// excludesWaiting makes the window longer by the time in which any request of the
	// subject waited for its answer: windowMs are then the subject's own time, however
	// slow the API server is. It lasts at most five times windowMs. It cannot be used
	// if start is Since.
	// +optional
	ExcludesWaiting bool `json:"excludesWaiting,omitempty"`

	// start says when the window opens. Now: with the creation of the Traffic; its time
	// counts from the subject's first request, if none was seen yet. Quiet: once the
	// subject is ready and has been quiet for two seconds: since its last effective
	// write, it has only repeated requests. First: with the first request that matches;
	// it is Complete if there is none within quietWithin. Effective: the same, with the
	// first effective write that matches. Since: it reaches back to the
	// start of the Subject, and closes once the subject has been ready and quiet for
	// windowMs, or until after its next resync if it was told of nothing since.
	// +kubebuilder:default=Now
	// +kubebuilder:validation:Enum=Now;Quiet;First;Effective;Since
	Start TrafficStart `json:"start,omitempty"`

	// since is the name of a Disruption: the window reaches back to the moment at which
	// that was done. When it closes depends on start and windowMs.
	// +optional
	Since string `json:"since,omitempty"`

	// quietWithin is how long the subject may take to fall quiet if start is Quiet
	// or Since, or to send what start waits for if it is First or Effective.
	// +kubebuilder:default={plus: "20s"}
	QuietWithin TimeBound `json:"quietWithin,omitempty"`

	// expect says what the numbers must be. Left out: any numbers are as expected, once
	// they are final.
	// +optional
	Expect *TrafficExpectation `json:"expect,omitempty"`
}

// TrafficExpectation says what the numbers of a window must be.
//
// +kubebuilder:validation:MinProperties=1
type TrafficExpectation struct {
	// feature that the profile must claim for this to be expected. If the profile does
	// not claim it, the verdict is Met.
	// +optional
	Feature Feature `json:"feature,omitempty"`
	// requests that matched.
	// +optional
	Requests *NumberBound `json:"requests,omitempty"`
	// effective writes.
	// +optional
	Effective *NumberBound `json:"effective,omitempty"`
	// changing counts the effective writes that changed more than metadata.managedFields, and
	// did not only let a workload start more Pods.
	// +optional
	Changing *NumberBound `json:"changing,omitempty"`
	// noop writes.
	// +optional
	Noop *NumberBound `json:"noop,omitempty"`
	// accepted writes: the effective ones and the no-ops.
	// +optional
	Accepted *NumberBound `json:"accepted,omitempty"`
	// refused requests.
	// +optional
	Refused *NumberBound `json:"refused,omitempty"`
	// futile writes: the no-ops, and those answered with an error.
	// +optional
	Futile *NumberBound `json:"futile,omitempty"`
	// unguarded requests: all but the applies that the API server refused for the controller
	// reference that they carry. As an object has one controller at most, such an apply could
	// never have changed what another one controls.
	// +optional
	Unguarded *NumberBound `json:"unguarded,omitempty"`
	// left behind: objects that the requests created, and that nobody removes. They have no
	// owner, and the subject has not deleted them. Claims for volumes and Secrets do not count,
	// because they may hold what the user wants to keep.
	// +optional
	Left *NumberBound `json:"left,omitempty"`
	// byVerb has bounds for the requests with a logical verb.
	// +optional
	ByVerb map[string]NumberBound `json:"byVerb,omitempty"`
	// openWatches at the end of the window.
	// +optional
	OpenWatches *NumberBound `json:"openWatches,omitempty"`
	// connections at the end of the window.
	// +optional
	Connections *NumberBound `json:"connections,omitempty"`
	// memoryMiB that the processes have at the end of the window.
	// +optional
	MemoryMiB *NumberBound `json:"memoryMiB,omitempty"`
	// descriptors that they have open at the end of the window.
	// +optional
	Descriptors *NumberBound `json:"descriptors,omitempty"`
	// pauses says how the pauses between the requests develop.
	// +optional
	// +kubebuilder:validation:Enum=NeverShorter;NotAllShorter
	Pauses PauseTrend `json:"pauses,omitempty"`
	// pauseMs bounds each pause between two requests, in milliseconds.
	// +optional
	PauseMs *NumberBound `json:"pauseMs,omitempty"`
	// subjectQuiet is true if the subject must have fallen quiet in time.
	// Otherwise a window that waits for that is judged even if it did not.
	// +optional
	SubjectQuiet bool `json:"subjectQuiet,omitempty"`
}

// PauseTrend says how the pauses between requests develop.
type PauseTrend string

// How the pauses between requests may develop.
const (
	// PausesNeverShorter: the shortest of the last three pauses is not shorter than
	// that of the first three, with a tolerance of a fifth for inexact clocks, or is at
	// least half a second: on a busy machine the first ones may be longer by chance.
	PausesNeverShorter PauseTrend = "NeverShorter"
	// PausesNotAllShorter: the longest of the last three pauses is at least half as
	// long as the shortest of the first three. It is for cases in which something else
	// may cause an attempt earlier.
	PausesNotAllShorter PauseTrend = "NotAllShorter"
)

// TrafficStart says when the window opens.
type TrafficStart string

// When a window may open.
const (
	StartNow   TrafficStart = "Now"
	StartQuiet TrafficStart = "Quiet"
	StartFirst TrafficStart = "First"
	// StartEffective waits for an effective write.
	StartEffective TrafficStart = "Effective"
	StartSince     TrafficStart = "Since"
)

// TrafficPhase says how far the measurement is.
type TrafficPhase string

// The phases of a measurement.
const (
	// TrafficWaiting waits for the subject's first request, or for quiet.
	TrafficWaiting TrafficPhase = "Waiting"
	// TrafficMeasuring has its window open, or opens it with the next request.
	TrafficMeasuring TrafficPhase = "Measuring"
	// TrafficComplete is done: the numbers are final.
	TrafficComplete TrafficPhase = "Complete"
	// TrafficNeverQuiet gave up: the subject did not fall quiet in time.
	TrafficNeverQuiet TrafficPhase = "NeverQuiet"
)

// TrafficStatus holds the numbers.
type TrafficStatus struct {
	// phase of the measurement. The numbers below are final once it is Complete.
	// +optional
	Phase TrafficPhase `json:"phase,omitempty"`
	// verdict on what is expected: Pending until the numbers are final.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says in words what it waits for, or what was expected and found, and
	// which requests it counted.
	// +optional
	Message string `json:"message,omitempty"`
	// proved is true if the verdict is NotMet by what the subject did, and not by
	// what it did not do in time: however slow the machine is, that counts.
	// +optional
	Proved bool `json:"proved,omitempty"`
	// exempted says what the verdict would be without the exemptions of the profile,
	// if it is Met by them alone.
	// +optional
	Exempted string `json:"exempted,omitempty"`
	// windowMs is how long the window really was, in milliseconds.
	WindowMs int64 `json:"windowMs"`
	// waitedMs is the time within the window in which any request of the subject waited
	// for its answer, in milliseconds. Watches do not count.
	WaitedMs int64 `json:"waitedMs"`
	// requests that matched.
	Requests int64 `json:"requests"`
	// effective counts the writes after which an object existed that did not,
	// was gone, or had another resourceVersion.
	Effective int64 `json:"effective"`
	// managed counts those of them that changed nothing but metadata.managedFields.
	// +optional
	Managed int64 `json:"managed,omitempty"`
	// starts counts those of them that only let a workload start more Pods: they raised its
	// number of replicas, or took back that it is paused or suspended.
	// +optional
	Starts int64 `json:"starts,omitempty"`
	// noop counts the accepted writes that changed nothing.
	Noop int64 `json:"noop"`
	// refused counts the requests answered with an error.
	Refused int64 `json:"refused"`
	// futile counts the writes that changed nothing: the no-ops and the refused ones.
	// +optional
	Futile int64 `json:"futile,omitempty"`
	// guarded counts the applies that the API server refused for the controller reference
	// that they carry.
	// +optional
	Guarded int64 `json:"guarded,omitempty"`
	// left counts the objects that the requests created, and that nobody removes.
	// +optional
	Left int64 `json:"left,omitempty"`
	// objects counts the objects that the requests created, or tried to create.
	// +optional
	Objects int64 `json:"objects,omitempty"`
	// byVerb counts requests by their logical verb.
	// +optional
	ByVerb map[string]int64 `json:"byVerb,omitempty"`
	// gapsMs are the pauses between the requests that matched, in order, in
	// milliseconds; the first 50.
	// +optional
	GapsMs []int64 `json:"gapsMs,omitempty"`
	// maxPerSecond is the largest number of requests in any one second.
	MaxPerSecond int64 `json:"maxPerSecond"`
	// openWatches at the end of the window.
	OpenWatches int64 `json:"openWatches"`
	// connections that the subject had open at the end of the window.
	// +optional
	Connections int64 `json:"connections,omitempty"`
	// memoryMiB is the resident memory of the subject's processes at the end of the
	// window. It is 0 if it cannot be measured.
	// +optional
	MemoryMiB int64 `json:"memoryMiB,omitempty"`
	// descriptors that they had open at the end of the window; 0 if these cannot be
	// counted.
	// +optional
	Descriptors int64 `json:"descriptors,omitempty"`
}

// TrafficList is a list of Traffic measurements.
//
// +kubebuilder:object:root=true
type TrafficList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Traffic `json:"items"`
}
