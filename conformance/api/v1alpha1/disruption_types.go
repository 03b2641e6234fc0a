package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Disruption does something to the processes of the controller under test,
// once. To do it again, create another.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Action",type=string,JSONPath=`.spec.action`
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.spec.target`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Replica",type=string,JSONPath=`.status.replica`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Disruption struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a disruption cannot be changed: create another"
	Spec   DisruptionSpec   `json:"spec"`
	Status DisruptionStatus `json:"status,omitempty"`
}

// DisruptionSpec says what is done to whom.
type DisruptionSpec struct {
	// target says to whom: All, Leader, Standby or the name of a replica.
	// +kubebuilder:default=All
	// +kubebuilder:validation:MinLength=1
	Target string `json:"target,omitempty"`

	// action is what is done.
	Action DisruptionAction `json:"action"`

	// while selects requests that it is to interrupt: it is done as soon as one of them
	// is open, and not answered. If none comes for three minutes, nothing is done, and
	// the Disruption has Failed.
	// +optional
	While *RequestMatch `json:"while,omitempty"`

	// withinMs is how long a replica may take to end if it is told to, in
	// milliseconds. It is killed then, and the Disruption has Failed. For Drain, how long
	// evictions may be refused, and for other actions about Nodes, how long they may take;
	// left out, three minutes. For all other actions, left out: the shutdown grace that the
	// profile declares, and 15 s, times the timeout scale; or as long as expect says, if
	// that is longer.
	// +optional
	// +kubebuilder:validation:Minimum=1
	WithinMs *int64 `json:"withinMs,omitempty"`

	// expect says how a process that is told to end must end.
	// +optional
	Expect *EndExpectation `json:"expect,omitempty"`
}

// EndExpectation says how a process must end: in time, with status 0, by the signal
// that told it to or with the status that shells give for that, and without a panic.
type EndExpectation struct {
	// within is how long it may take. For when it is killed, see withinMs.
	Within TimeBound `json:"within"`
	// anyStatus is true if it may end with any status.
	// +optional
	AnyStatus bool `json:"anyStatus,omitempty"`
}

// DisruptionAction is what is done to a replica.
//
// +kubebuilder:validation:Enum=Kill;Terminate;Interrupt;Pause;Resume;Restart;Partition;Blackhole;Heal;CutWebhook;RotateToken;Evict;Drain;OwnNodes;CordonNode;FailNode;LoseNode;RetireNode;RestoreNodes
type DisruptionAction string

// The actions. A replica that Kill, Terminate or Interrupt ended stays down
// until Restart; one that exits by itself is subject to the Subject's restart
// policy.
const (
	// ActionKill sends SIGKILL to the replica and all its children.
	ActionKill DisruptionAction = "Kill"
	// ActionTerminate sends SIGTERM and waits for the end. A leader gets it just
	// after it has renewed its Lease: in the middle it may be unable to release it.
	ActionTerminate DisruptionAction = "Terminate"
	// ActionInterrupt does the same with SIGINT.
	ActionInterrupt DisruptionAction = "Interrupt"
	// ActionPause stops the processes (SIGSTOP); they do not run, and do not notice it.
	ActionPause DisruptionAction = "Pause"
	// ActionResume lets them go on (SIGCONT).
	ActionResume DisruptionAction = "Resume"
	// ActionRestart ends the replica with SIGTERM if it runs, and starts it.
	ActionRestart DisruptionAction = "Restart"
	// ActionPartition cuts the replica off from the API server: everything is
	// reset and refused, both ways.
	ActionPartition DisruptionAction = "Partition"
	// ActionBlackhole drops all packets between the replica and the API server, without a
	// reset. What was connected stays silent for ever.
	ActionBlackhole DisruptionAction = "Blackhole"
	// ActionCutWebhook keeps the API server from the webhook of the replica, which must
	// be served when it is done. If the webhooks of all replicas are cut off, the API
	// server gets no answer. The replica can reach the API server.
	ActionCutWebhook DisruptionAction = "CutWebhook"
	// ActionHeal ends the partition, or the black hole: new connections work. The
	// webhook can be reached again.
	ActionHeal DisruptionAction = "Heal"
	// ActionRotateToken replaces the token in the replica's service-account folder. The old
	// one is refused (401) two minutes later, as in a cluster. It is done then.
	ActionRotateToken DisruptionAction = "RotateToken"
	// ActionEvict evicts the replica's Pod, as the drain of a node does, and waits for the
	// program of the one that takes its place. A process gets SIGTERM, and the one that
	// takes its place starts three seconds later, and has another host name.
	ActionEvict DisruptionAction = "Evict"
	// ActionDrain drains a Node that has Pods of the Disruption's namespace: the first by
	// name. It is cordoned, these Pods are evicted, as far as PodDisruptionBudgets allow, and
	// it is schedulable again once others have come in their place. Pods of other namespaces
	// stay, and those of a DaemonSet. Nodes of a cluster of the user's are not cordoned. It
	// is not about processes: target, while and expect must be left out.
	ActionDrain DisruptionAction = "Drain"
	// ActionOwnNodes gives the Disruption's namespace Nodes of its own, one like each of the
	// others, which take the Pods of this namespace and no others. New Pods of the namespace
	// can only run there; those that run elsewhere are evicted. It is done once all are on
	// such Nodes. The actions below are about one of these Nodes, with Pods of the namespace:
	// the first by name that nothing is wrong with. None of them is about processes: target,
	// while and expect must be left out. They are refused on a cluster of the user's.
	ActionOwnNodes DisruptionAction = "OwnNodes"
	// ActionCordonNode makes the Node unschedulable. Its Pods stay.
	ActionCordonNode DisruptionAction = "CordonNode"
	// ActionFailNode makes the Node not ready, as its kubelet would say. It is done once
	// Kubernetes has given it the taint not-ready. Pods are deleted after the time that they
	// tolerate that, by default 5 minutes.
	ActionFailNode DisruptionAction = "FailNode"
	// ActionLoseNode lets the Node fall silent. It is done once its state is unknown, its Pods
	// are not ready, and Kubernetes has given it the taint unreachable. Pods are deleted after
	// the time that they tolerate that, by default 5 minutes, and never end.
	ActionLoseNode DisruptionAction = "LoseNode"
	// ActionRetireNode gives the taint out-of-service to a Node that LoseNode has taken, as
	// somebody does who knows that it does not come back. It is done once its Pods are to be
	// deleted. Kubernetes removes them within about half a minute.
	ActionRetireNode DisruptionAction = "RetireNode"
	// ActionRestoreNodes makes all Nodes of the namespace's own ready and schedulable again.
	ActionRestoreNodes DisruptionAction = "RestoreNodes"
)

// DisruptionPhase says how far a Disruption is.
type DisruptionPhase string

// The phases of a Disruption.
const (
	// DisruptionPending waits for a Subject, or for a leader.
	DisruptionPending DisruptionPhase = "Pending"
	// DisruptionDone was done.
	DisruptionDone DisruptionPhase = "Done"
	// DisruptionFailed could not be done; the message says why.
	DisruptionFailed DisruptionPhase = "Failed"
)

// DisruptionStatus says what was done to whom. All fields except phase and
// replicas are about the first replica.
type DisruptionStatus struct {
	// phase of the Disruption.
	// +optional
	Phase DisruptionPhase `json:"phase,omitempty"`
	// verdict on what is expected. If nothing is expected, it is Met as soon as the
	// Disruption is done, and Invalid if it could not be done.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says what it waits for, what went wrong, or how the process ended.
	// +optional
	Message string `json:"message,omitempty"`
	// replica it was done to, by name.
	// +optional
	Replica string `json:"replica,omitempty"`
	// exitCode of its process, if that ended; 128 plus the number if a
	// signal ended it.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`
	// signal that ended it, such as SIGKILL. Empty if it exited by itself.
	// +optional
	Signal string `json:"signal,omitempty"`
	// panic is true if its output ends in a panic of the Go runtime.
	// +optional
	Panic bool `json:"panic,omitempty"`
	// tookMs is the time until its process had ended, if it ended one, or else
	// until it was done, in milliseconds.
	TookMs int64 `json:"tookMs"`
	// resourceVersion of the cluster when it was done: what was written
	// afterwards has a newer one.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// replicas that it was done to, in order.
	// +optional
	// +listType=map
	// +listMapKey=name
	Replicas []DisruptedReplica `json:"replicas,omitempty"`
}

// DisruptedReplica is one replica and how its process ended.
type DisruptedReplica struct {
	// name of the replica.
	Name string `json:"name"`
	// exit of its process, if that ended.
	// +optional
	Exit *Exit `json:"exit,omitempty"`
}

// DisruptionList is a list of Disruptions.
//
// +kubebuilder:object:root=true
type DisruptionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Disruption `json:"items"`
}
