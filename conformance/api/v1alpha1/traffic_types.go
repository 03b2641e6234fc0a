package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Traffic measures what the subject sends during one window of time, then says
// so. It measures once: to measure again, create another.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
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
// +kubebuilder:validation:XValidation:rule="!(has(self.excludesWaiting) && self.excludesWaiting && self.start == 'Since')",message="excludesWaiting is of no use where start is Since"
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
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=600000
	WindowMs int64 `json:"windowMs"`

	// coversResync makes the window at least as long as the resync period that
	// the profile declares, plus 5 s, where that is no more than 35 s.
	// +optional
	CoversResync bool `json:"coversResync,omitempty"`

	// excludesWaiting makes the window longer by the time for which an answer to the
	// subject, whichever the request, was outstanding: windowMs are then the subject's
	// own time, however slow the API server. It lasts five times windowMs at most.
	// Not where start is Since.
	// +optional
	ExcludesWaiting bool `json:"excludesWaiting,omitempty"`

	// start says when the window opens. Now: at once, which is the moment the
	// phase becomes Measuring. Quiet: once the subject is ready and has made no
	// effective write for two seconds. First: with the first request that matches;
	// the phase is Measuring until then, too, and Complete if there is none within
	// quietWithinMs. Since: it reaches back to the start of the Subject, and
	// closes once the subject has been ready and without an effective write
	// for windowMs.
	// +kubebuilder:default=Now
	// +kubebuilder:validation:Enum=Now;Quiet;First;Since
	Start TrafficStart `json:"start,omitempty"`

	// since is the name of a Disruption: the window reaches back to the moment at
	// which that was done. When it closes is a matter of start and windowMs.
	// +optional
	Since string `json:"since,omitempty"`

	// quietWithinMs is how long the subject may take to fall quiet where start
	// is Quiet or Since, or to send a request that matches where start is First, in
	// milliseconds.
	// +kubebuilder:default=20000
	// +kubebuilder:validation:Minimum=1000
	QuietWithinMs int64 `json:"quietWithinMs,omitempty"`
}

// TrafficStart says when the window opens.
type TrafficStart string

// When a window may open.
const (
	StartNow   TrafficStart = "Now"
	StartQuiet TrafficStart = "Quiet"
	StartFirst TrafficStart = "First"
	StartSince TrafficStart = "Since"
)

// RequestMatch selects requests. An empty list matches everything.
type RequestMatch struct {
	// verbs are logical: a server-side apply that creates is a create, a patch
	// of what exists is an update.
	// +optional
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:items:Enum=get;list;watch;create;update;delete
	Verbs []string `json:"verbs,omitempty"`

	// resources as plural.group: deployments.apps, services, webapps.apps.kubedojo.io.
	// +optional
	Resources []string `json:"resources,omitempty"`

	// subresource such as status. Empty: the object itself and every
	// subresource; "-": the object itself only.
	// +optional
	Subresource string `json:"subresource,omitempty"`

	// names of the objects.
	// +optional
	Names []string `json:"names,omitempty"`
}

// TrafficPhase says how far the measurement is.
type TrafficPhase string

// The phases of a measurement.
const (
	// TrafficWaiting waits for the subject's first request, or for quiet.
	TrafficWaiting TrafficPhase = "Waiting"
	// TrafficMeasuring has its window open, or opens it with the next request.
	TrafficMeasuring TrafficPhase = "Measuring"
	// TrafficComplete is done: the numbers stand.
	TrafficComplete TrafficPhase = "Complete"
	// TrafficNeverQuiet gave up: the subject did not fall quiet in time.
	TrafficNeverQuiet TrafficPhase = "NeverQuiet"
)

// TrafficStatus holds the numbers.
type TrafficStatus struct {
	// phase of the measurement. The numbers below stand once it is Complete.
	// +optional
	Phase TrafficPhase `json:"phase,omitempty"`
	// message says in words what it waits for, or which requests it counted.
	// +optional
	Message string `json:"message,omitempty"`
	// windowMs is how long the window really was, in milliseconds.
	WindowMs int64 `json:"windowMs"`
	// waitedMs is for how long of the window an answer to the subject, whichever the
	// request, was outstanding, in milliseconds. Watches aside.
	WaitedMs int64 `json:"waitedMs"`
	// requests that matched.
	Requests int64 `json:"requests"`
	// effective counts the writes after which an object existed that did not,
	// was gone, or had another resourceVersion.
	Effective int64 `json:"effective"`
	// noop counts the accepted writes that changed nothing.
	Noop int64 `json:"noop"`
	// refused counts the requests answered with an error.
	Refused int64 `json:"refused"`
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
}

// TrafficList is a list of Traffic measurements.
//
// +kubebuilder:object:root=true
type TrafficList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Traffic `json:"items"`
}
