package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OwnershipPolicy says what the controller does with an object that has the
// name of a child and that nobody owns.
type OwnershipPolicy string

// The ownership policies.
const (
	OwnershipRefuse OwnershipPolicy = "refuse"
	OwnershipAdopt  OwnershipPolicy = "adopt"
)

// Ownership is how a controller knows its children.
type Ownership string

// The ways of ownership.
const (
	OwnershipByReference Ownership = "reference"
	OwnershipByLabels    Ownership = "labels"
)

// Claims are what the implementation promises.
type Claims struct {
	// features the implementation has. Each makes the requirements that name
	// it apply; `reconform list` shows which.
	// +optional
	// +listType=set
	Features []Feature `json:"features,omitempty"`
	// unowned is what happens to an object with a child's name that nobody owns. Required
	// with a contract.
	// +kubebuilder:validation:Enum=refuse;adopt
	// +optional
	Unowned OwnershipPolicy `json:"unowned,omitempty"`
	// ownership is how it knows its children: by their owner reference, or by labels.
	// +kubebuilder:validation:Enum=reference;labels
	// +kubebuilder:default=reference
	// +optional
	Ownership Ownership `json:"ownership,omitempty"`
	// cleanup says who removes the children: gc, the garbage collector, or the controller.
	// Required with a contract.
	// +kubebuilder:validation:Enum=gc;controller
	// +optional
	Cleanup string `json:"cleanup,omitempty"`
	// reporting says where a failure shows.
	// +optional
	Reporting *Reporting `json:"reporting,omitempty"`
	// events says which reasons the controller's Events have.
	// +optional
	Events *EventReasons `json:"events,omitempty"`
	// metrics are the names of what the controller counts.
	// +kubebuilder:default={}
	// +optional
	Metrics MetricNames `json:"metrics,omitempty"`
	// times that the bounds are computed from.
	// +kubebuilder:default={}
	// +optional
	Times Times `json:"times,omitempty"`
	// clientQPS is the client's limit on requests per second; 0: none known.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=0
	// +optional
	ClientQPS int32 `json:"clientQPS,omitempty"`
	// exempt are requests that are not judged: those that have nothing to do with the
	// contract, and probes that the implementation can do without. They count in no bound
	// and break no rule. If invariants are given, they are writes that are known to break
	// one.
	// +optional
	Exempt []Exemption `json:"exempt,omitempty"`
	// notHealed are fields of children that the implementation sets and does not set
	// back when somebody else changes them.
	// +optional
	NotHealed []NotHealed `json:"notHealed,omitempty"`
}

// NotHealed is a group of fields that are left as others changed them.
type NotHealed struct {
	// resource of the child, as plural.group: deployments.apps.
	// +kubebuilder:validation:MinLength=1
	Resource string `json:"resource"`
	// paths of the fields, each with all below it: metadata.labels,
	// spec.template.spec.containers[*].image.
	// +kubebuilder:validation:MinItems=1
	// +listType=set
	Paths []string `json:"paths"`
	// why they are left.
	// +kubebuilder:validation:MinLength=1
	Why string `json:"why"`
}

// Exemption is a group of requests that are not judged.
type Exemption struct {
	// verbs of the requests. Left out: all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:items:Enum=get;list;watch;create;update;delete
	Verbs []string `json:"verbs,omitempty"`
	// resources that they are about, as plural.group: deployments.apps.
	// +kubebuilder:validation:MinItems=1
	// +listType=set
	Resources []string `json:"resources"`
	// invariants that these requests may break, and no others. The requests still count in
	// every bound. Left out: the requests count in no bound, and break no invariant. For
	// writes of what the contract is about, that needs fields.
	// +optional
	// +listType=set
	// +kubebuilder:validation:items:Enum=NotLeader;ForeignObject;GenerationRaised;Forbidden;HotLoop;Restless
	Invariants []string `json:"invariants,omitempty"`
	// fields of an object, such as status.lastSeen or metadata.annotations. Then only updates
	// are exempt that change some of these fields and nothing else, for example a heartbeat.
	// These may also be updates of what the contract is about.
	// +optional
	// +listType=set
	Fields []string `json:"fields,omitempty"`
	// why the implementation needs them, or can do without.
	// +kubebuilder:validation:MinLength=1
	Why string `json:"why"`
	// owner is the person or the team that answers for the exemption.
	// +optional
	Owner string `json:"owner,omitempty"`
	// expires is the last day on which they are not judged, as in 2027-01-31. After that day
	// they are judged again. Left out: the exemption does not end.
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}$`
	// +optional
	Expires string `json:"expires,omitempty"`
}

// Feature is something that a controller may or may not have.
//
// +kubebuilder:validation:Enum=service;independent-children;defaults;port;env;controller-ref;dependency;renames;port-drift;finalizer;retry-after;status;error-reporting;self-recovery;concurrent-workers;child-cache;paged-lists;truthful-readyz;leader-election;ready-standby;lease-release;fenced;phase;conditions;available-when-rolled-out;service-url;observed-generation;quiet;events;bounds;printer-columns;loose-schema;described;foreign-fields;foreign-conditions;propagates-metadata;namespaced;webhook;conversion;sigint;least-privilege;roles-only;survives-silence;metrics;health;queue-metrics;structured-logs
type Feature string

// Reporting says where a failure shows. Give what there is.
//
// +kubebuilder:validation:MinProperties=1
type Reporting struct {
	// condition that is set while something fails.
	// +optional
	Condition *ConditionStatus `json:"condition,omitempty"`
	// eventReason of the Warning event.
	// +optional
	EventReason string `json:"eventReason,omitempty"`
}

// EventReasons are the reasons of the controller's Events.
type EventReasons struct {
	// created is the reason for a created child.
	// +optional
	Created string `json:"created,omitempty"`
	// updated is the reason for an updated child.
	// +optional
	Updated string `json:"updated,omitempty"`
	// failed is the reason of the Warning for a failure.
	// +optional
	Failed string `json:"failed,omitempty"`
}

// MetricNames are the names of what the controller counts, as its metrics page
// has them. The defaults are controller-runtime's and client-go's.
type MetricNames struct {
	// reconciles made (feature metrics).
	// +kubebuilder:default=controller_runtime_reconcile_total
	// +optional
	Reconciles MetricName `json:"reconciles,omitempty"`
	// errors of reconciles (feature metrics).
	// +kubebuilder:default=controller_runtime_reconcile_errors_total
	// +optional
	Errors MetricName `json:"errors,omitempty"`
	// errorSeries are other counters that go up with each reconcile that fails, such as
	// those that an alert asks for. If only some series of a metric count failures, it has
	// their labels: webapp_reconcile_total{result="error"} (feature metrics).
	// +kubebuilder:validation:MaxItems=10
	// +listType=set
	// +optional
	ErrorSeries []MetricSeries `json:"errorSeries,omitempty"`
	// queueDepth is how many items wait (feature queue-metrics).
	// +kubebuilder:default=workqueue_depth
	// +optional
	QueueDepth MetricName `json:"queueDepth,omitempty"`
	// queueLatency is how long items wait: a histogram or a summary (feature
	// queue-metrics).
	// +kubebuilder:default=workqueue_queue_duration_seconds
	// +optional
	QueueLatency MetricName `json:"queueLatency,omitempty"`
	// queueRetries made (feature queue-metrics).
	// +kubebuilder:default=workqueue_retries_total
	// +optional
	QueueRetries MetricName `json:"queueRetries,omitempty"`
}

// MetricName is the name of a metric, without labels.
//
// +kubebuilder:validation:Pattern=`^[a-zA-Z_:][a-zA-Z0-9_:]*$`
type MetricName string

// MetricSeries is the name of a metric, and the labels of those of its series that count.
//
// +kubebuilder:validation:MaxLength=300
// +kubebuilder:validation:Pattern=`^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*"(,[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*")*\})?$`
type MetricSeries string

// Times are the periods that the implementation declares.
type Times struct {
	// longestRetryPause between two attempts at what keeps failing. Every time limit waits
	// that long. retry says the same more exactly: give one of the two.
	// +optional
	LongestRetryPause metav1.Duration `json:"longestRetryPause,omitzero"`
	// retry is the schedule of the attempts at what keeps failing, if the pauses grow. A
	// time limit then waits only as long as the pauses can be at that time.
	// +optional
	Retry *RetrySchedule `json:"retry,omitempty"`
	// resync period of its caches; 0: none.
	// +optional
	Resync metav1.Duration `json:"resync,omitempty"`
	// silence is how long it may take until it works again, after the network was silent:
	// packets were lost, and no connection was reset (feature survives-silence).
	// +optional
	Silence metav1.Duration `json:"silence,omitempty"`
	// lease timings of the leader election.
	// +optional
	Lease *LeaseTimes `json:"lease,omitempty"`
	// shutdownGrace is how long it may take to end after SIGTERM.
	// +kubebuilder:default="30s"
	// +optional
	ShutdownGrace metav1.Duration `json:"shutdownGrace,omitempty"`
}

// RetrySchedule says when the controller tries again what keeps failing: after the
// pause first, then after pauses that grow by factor each time, up to longest. For the
// default rate limiter of controller-runtime and client-go it is {first: 5ms, factor:
// 2, longest: 1000s}.
type RetrySchedule struct {
	// first pause, after the first failure.
	First metav1.Duration `json:"first"`
	// factor by which each pause is longer than the one before; 1: all are the same.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Factor float64 `json:"factor"`
	// longest pause.
	Longest metav1.Duration `json:"longest"`
	// guessed is true if nobody knows the schedule. A step that waited for another attempt, and
	// failed, is then inconclusive.
	// +optional
	Guessed bool `json:"guessed,omitempty"`
}

// Retries returns the schedule of the attempts. If only the longest pause is declared, every
// pause may be that long.
func (t Times) Retries() RetrySchedule {
	if t.Retry != nil {
		return *t.Retry
	}
	return RetrySchedule{First: t.LongestRetryPause, Factor: 1, Longest: t.LongestRetryPause}
}

// LeaseTimes are the timings of the leader election.
type LeaseTimes struct {
	// duration of the lease.
	Duration metav1.Duration `json:"duration"`
	// renewDeadline after which a leader that cannot renew gives up.
	RenewDeadline metav1.Duration `json:"renewDeadline"`
	// retryPeriod between two attempts.
	RetryPeriod metav1.Duration `json:"retryPeriod"`
}
