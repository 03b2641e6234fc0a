package history

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event is something that the bench did or noticed, apart from requests.
type Event struct {
	Seq      int64     `json:"seq"`
	Time     time.Time `json:"time"`
	Scenario string    `json:"scenario,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	Replica  string    `json:"replica,omitempty"`
	// Object of the bench that it is about, by kind and name: Fault/create-fails.
	Object string `json:"object,omitempty"`
	// Reason in one word, such as ReplicaCrashed.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Election is true for a Subject that was started with leader election on.
	Election bool `json:"election,omitempty"`
	// Optional is true for a Fault that need not fire.
	Optional bool `json:"optional,omitempty"`
	// Verbs and Resources that an armed Fault waits for; empty: all.
	Verbs     []string `json:"verbs,omitempty"`
	Resources []string `json:"resources,omitempty"`
	// Took is how long a process took to end, from when it was told to, or a node to run a
	// Pod.
	Took metav1.Duration `json:"took,omitzero"`
}

// The reasons of events that a verdict may depend on. Other reasons are named where
// they are recorded.
const (
	SubjectStarted = "SubjectStarted"
	// ReplicaStarted: a process of a replica runs.
	ReplicaStarted = "ReplicaStarted"
	// ReplicaStartFailed: a process of a replica could not be started.
	ReplicaStartFailed = "ReplicaStartFailed"
	// ReplicaCrashed: a process ended that nobody had told to end.
	ReplicaCrashed = "ReplicaCrashed"
	// ReplicaLost: a process was killed by somebody outside the bench: the system, where
	// memory runs out.
	ReplicaLost = "ReplicaLost"
	// ReplicaOverLimit: a process was killed because it held more than a subject may.
	ReplicaOverLimit = "ReplicaOverLimit"
	// ReplicaTerminated and ReplicaInterrupted: a process ended because a Disruption told
	// it to.
	ReplicaTerminated  = "ReplicaTerminated"
	ReplicaInterrupted = "ReplicaInterrupted"
	// ReplicaPartitioned: from now on it cannot reach the API server.
	ReplicaPartitioned = "ReplicaPartitioned"
	// ReplicaHealed: it can reach the API server again.
	ReplicaHealed = "ReplicaHealed"
	// ReplicaSilenced: from now on its requests are neither heard nor answered, but its
	// process goes on: that is how a Pod is paused.
	ReplicaSilenced = "ReplicaSilenced"
	// ReplicaHeard: they are again.
	ReplicaHeard = "ReplicaHeard"
	// WebhookCut: from now on the API server cannot reach the webhook that it serves.
	WebhookCut = "WebhookCut"
	// PageServed: a replica serves a page, MetricsPage or HealthPage.
	PageServed = "PageServed"
	// FaultArmed: a Fault acts, and has hit nothing yet.
	FaultArmed = "FaultArmed"
	// FaultFired: a Fault has hit something for the first time.
	FaultFired = "FaultFired"
	// FaultDone: a Fault has hit as much as it has to.
	FaultDone = "FaultDone"
	// Exempted: a measurement is as expected only because the profile exempts requests.
	Exempted = "Exempted"
	// FaultInvalid: a Fault can never act.
	FaultInvalid = "FaultInvalid"
	// DisruptionDone: what a Disruption asked for was done.
	DisruptionDone = "DisruptionDone"
	// DisruptionFailed: what a Disruption asked for could not be done, and the
	// controller is not to blame.
	DisruptionFailed = "DisruptionFailed"
	// StepBegan: the scenario began a step, which Message names, or its clean-up.
	StepBegan = "StepBegan"
	// StepFailed: an operation of the step failed that Message names. Only the first that
	// fails is told.
	StepFailed = "StepFailed"
	// PodSlow: the nodes took long to run a Pod of the scenario, or have not by its end.
	PodSlow = "PodSlow"
	// NoBystanders: not all objects that look like children could be made.
	NoBystanders = "NoBystanders"
	// NamesakeMade: an object of somebody else may have the name that Object says, which the
	// controller had asked for in vain.
	NamesakeMade = "NamesakeMade"
	// HistoryCut: the file of the history has become too large, and what came later is not
	// in it.
	HistoryCut = "HistoryCut"
)

// The pages that an event PageServed is about, by their paths.
const (
	MetricsPage = "/metrics"
	HealthPage  = "/healthz"
)
