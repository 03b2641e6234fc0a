package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Judgement is the verdict of a bench object on what it was told to expect. The message
// beside it says what was expected, what was found, and what proves it.
//
// +kubebuilder:validation:Enum=Pending;Met;NotMet;Invalid
type Judgement string

// The judgements.
const (
	// Pending: it is too early to say.
	JudgementPending Judgement = "Pending"
	// Met: it is as expected.
	JudgementMet Judgement = "Met"
	// NotMet: it is not, and will not be.
	JudgementNotMet Judgement = "NotMet"
	// Invalid: it cannot be judged. That says nothing about the subject.
	JudgementInvalid Judgement = "Invalid"
)

// IsPending is true if there is no judgement yet.
func (j Judgement) IsPending() bool { return j == "" || j == JudgementPending }

// NumberBound is a smallest and a largest number, both included.
//
// +kubebuilder:validation:MinProperties=1
type NumberBound struct {
	// min is the smallest number that is as expected. Left out: any.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Min *int64 `json:"min,omitempty"`
	// max is the largest. Left out: any.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Max *int64 `json:"max,omitempty"`
	// perResync is added to max for each resync period of the profile that the window
	// lasts; for a part of a period, the same part of it, rounded down.
	// +optional
	// +kubebuilder:validation:Minimum=0
	PerResync int64 `json:"perResync,omitempty"`
	// perObject is added to max for each object beyond the second that the requests
	// created, or tried to create: a controller that makes nine children for an object
	// needs more requests than a controller that makes two. Only a Traffic can use it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	PerObject int64 `json:"perObject,omitempty"`
	// beyond is the name of another Traffic in the namespace, which must be complete. Its
	// number is added to min and to max.
	// +optional
	Beyond string `json:"beyond,omitempty"`
	// beyondStatuses is the name of an Observation in the namespace. The number of
	// statuses that it has seen is added to max.
	// +optional
	BeyondStatuses string `json:"beyondStatuses,omitempty"`
}

// TimeBound is how long something may take, as a sum: the periods that the profile
// declares, each as many times as given here, and plus. The sum is multiplied by
// --timeout-scale.
//
// +kubebuilder:validation:MinProperties=1
type TimeBound struct {
	// leaseDurations is how many lease durations.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LeaseDurations float64 `json:"leaseDurations,omitempty"`
	// renewDeadlines is how many renew deadlines of the lease.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RenewDeadlines float64 `json:"renewDeadlines,omitempty"`
	// retryPeriods is how many retry periods of the lease.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RetryPeriods float64 `json:"retryPeriods,omitempty"`
	// longestPauses is how many times the longest pause between two attempts. If the
	// profile declares pauses that grow, only those count that are possible so far: after
	// doubling pauses that took n seconds together, the next pause is about n seconds.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LongestPauses float64 `json:"longestPauses,omitempty"`
	// attempts is how many attempts may fail before one succeeds. The next attempt must come
	// within the longest pause after the last request that failed. So the time is over as
	// soon as that attempt is overdue, and at the latest after as many longest pauses.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Attempts int32 `json:"attempts,omitempty"`
	// resyncs is how many resync periods.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Resyncs float64 `json:"resyncs,omitempty"`
	// shutdownGraces is how many shutdown graces.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ShutdownGraces float64 `json:"shutdownGraces,omitempty"`
	// silences is how many times the limit that the profile declares for noticing a dead
	// connection (claims.times.silence).
	// +optional
	// +kubebuilder:validation:Minimum=0
	Silences float64 `json:"silences,omitempty"`
	// clientRequests is how many requests to allow for: the time that they take under
	// the client's limit on requests per second. It adds nothing if the profile
	// declares no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ClientRequests float64 `json:"clientRequests,omitempty"`
	// measured adds pauses that a Traffic has measured, for a bound that depends on
	// what the subject did before. In an Observation, the time in which a request of the
	// subject waits for its answer then does not count, because it is not a pause.
	// +optional
	Measured *MeasuredPauses `json:"measured,omitempty"`
	// plus is a fixed time, such as 5s, that does not come from the profile.
	// +optional
	Plus metav1.Duration `json:"plus,omitempty"`
}

// MeasuredPauses is a multiple of the longest pause between two requests that a Traffic
// has measured.
type MeasuredPauses struct {
	// of is the name of a Traffic in the namespace. It must be complete and have counted at
	// least two requests.
	// +kubebuilder:validation:MinLength=1
	Of string `json:"of"`
	// longestPauses is how many times the longest pause between two of its requests.
	// +kubebuilder:validation:Minimum=0
	LongestPauses float64 `json:"longestPauses"`
}
