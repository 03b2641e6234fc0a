package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The targets of a Fault, a Disruption or a Traffic that are not names of
// replicas.
const (
	// TargetAll: all replicas of the Subject.
	TargetAll = "All"
	// TargetLeader: the one that holds the Lease.
	TargetLeader = "Leader"
	// TargetStandby: all replicas except the leader.
	TargetStandby = "Standby"
)

// Subject is the controller under test, running: one or more replicas, each
// behind a recording proxy of its own. Creating it starts the controller as
// the profile says; deleting it stops the controller, and is done when the
// last process is gone.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=subj
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Leader",type=string,JSONPath=`.status.leader`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Subject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:default={replicas: 1, restart: Always}
	Spec   SubjectSpec   `json:"spec,omitempty"`
	Status SubjectStatus `json:"status,omitempty"`
}

// SubjectSpec says how many replicas run and what they see.
type SubjectSpec struct {
	// replicas is how many processes of the controller run side by side.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5
	Replicas int32 `json:"replicas"`

	// namespaces are those that the controller sees in addition to the Subject's own. Each name starts
	// with the Subject's namespace and a dash, so that scenarios cannot meet.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	Namespaces []string `json:"namespaces,omitempty"`

	// leaderElection starts the controller with leader election on. It is off
	// if the scenario is not about it: a killed leader's Lease would block
	// its successor for as long as the lease lasts.
	// +optional
	LeaderElection bool `json:"leaderElection,omitempty"`

	// rolesOnly starts the controller as the profile says for one that serves some
	// namespaces only, and gives it its roles in these and in its home, and none that
	// is cluster-wide.
	// +optional
	RolesOnly bool `json:"rolesOnly,omitempty"`

	// restart says what happens when a replica exits by itself.
	// +kubebuilder:default=Always
	// +kubebuilder:validation:Enum=Always;Never
	Restart RestartPolicy `json:"restart,omitempty"`
}

// RestartPolicy says what happens when a replica exits by itself.
type RestartPolicy string

// The restart policies.
const (
	RestartAlways RestartPolicy = "Always"
	RestartNever  RestartPolicy = "Never"
)

// SubjectStatus is what the bench knows of the running controller.
type SubjectStatus struct {
	// ready counts the replicas that run and are ready in the profile's sense.
	Ready int32 `json:"ready"`

	// leader is the replica that holds the Lease, from the holder in the last
	// accepted write of it. Empty without leader election.
	// +optional
	Leader string `json:"leader,omitempty"`

	// home is the namespace that the controller lives in: its ServiceAccount, and its
	// Lease. It goes with the Subject's namespace.
	// +optional
	Home string `json:"home,omitempty"`

	// serviceAccount the controller acts as, in its home.
	// +optional
	ServiceAccount string `json:"serviceAccount,omitempty"`

	// observedGeneration is the generation this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// message says in words what keeps the Subject from being ready.
	// +optional
	Message string `json:"message,omitempty"`

	// replicas, one entry each, in the order of their names.
	// +optional
	// +listType=map
	// +listMapKey=name
	Replicas []ReplicaStatus `json:"replicas,omitempty"`

	// violations of what must never happen, as seen on the wire.
	// +optional
	Violations []Violation `json:"violations,omitempty"`
}

// ReplicaPhase says where a replica is in its life.
type ReplicaPhase string

// The phases of a replica.
const (
	ReplicaStarting ReplicaPhase = "Starting"
	ReplicaRunning  ReplicaPhase = "Running"
	ReplicaExited   ReplicaPhase = "Exited"
)

// ReplicaStatus is one process of the controller.
type ReplicaStatus struct {
	// name of the replica, which is also its hostname.
	Name string `json:"name"`
	// phase of its process.
	Phase ReplicaPhase `json:"phase"`
	// restarts counts how often it was started again after exiting by itself.
	Restarts int32 `json:"restarts"`
	// readyz is true while the replica is ready in the profile's sense.
	Readyz bool `json:"readyz"`
	// openWatches is the number of its watches that are open now.
	OpenWatches int32 `json:"openWatches"`
	// lastExit tells how its last process ended.
	// +optional
	LastExit *Exit `json:"lastExit,omitempty"`
}

// Exit tells how a process ended.
type Exit struct {
	// code is its exit status; 128 plus the number if a signal ended it.
	Code int32 `json:"code"`
	// signal that ended it, such as SIGKILL. Empty if it exited by itself.
	Signal string `json:"signal"`
	// tookMs is the time from the request to stop until its end, in
	// milliseconds; 0 if nobody asked.
	TookMs int64 `json:"tookMs"`
	// panic is true if its output ends in a panic of the Go runtime.
	Panic bool `json:"panic"`
}

// Rules that a verdict treats in a way of their own. A controller can break NotLeader
// and Crashed because the machine gives it no time; one that is Crashed or Forbidden
// cannot do its work.
const (
	RuleNotLeader     = "NotLeader"
	RuleChildReplaced = "ChildReplaced"
	RuleCrashed       = "Crashed"
	RuleForbidden     = "Forbidden"
	RuleHotLoop       = "HotLoop"
	// RuleForeignObject is also about writes to bystanders. If these could not be created,
	// requirements that judge it are inconclusive instead of passed.
	RuleForeignObject = "ForeignObject"
	// RuleRestless explains other failures: requests of a loop are counted everywhere.
	RuleRestless = "Restless"
	// RuleGenerationRaised and RuleDisowned have one requirement each that judges them.
	RuleGenerationRaised = "GenerationRaised"
	RuleDisowned         = "Disowned"
)

// Violation is something that must never happen, with its proof.
type Violation struct {
	// rule that was broken.
	Rule string `json:"rule"`
	// about says what was done to what, such as: update of deployments.apps. The same
	// in several scenarios has one cause.
	// +optional
	About string `json:"about,omitempty"`
	// message says what happened.
	Message string `json:"message"`
	// requests that prove it, by their number in history.jsonl.
	// +optional
	Requests []int64 `json:"requests,omitempty"`
}

// SubjectList is a list of Subjects.
//
// +kubebuilder:object:root=true
type SubjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Subject `json:"items"`
}
