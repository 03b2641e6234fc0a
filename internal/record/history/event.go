package history

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event is something that the bench did or noticed and that is not a request.
type Event struct {
	Seq      int64     `json:"seq"`
	Time     time.Time `json:"time"`
	Scenario string    `json:"scenario,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	Replica  string    `json:"replica,omitempty"`
	// Object of the bench that the event is about, by kind and name: Fault/create-fails.
	Object string `json:"object,omitempty"`
	// Reason in one word, such as ReplicaCrashed.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Election is true for a Subject that was started with leader election on.
	Election bool `json:"election,omitempty"`
	// Optional is true for a Fault that need not fire.
	Optional bool `json:"optional,omitempty"`
	// Verbs and Resources that an armed Fault waits for. Empty means all.
	Verbs     []string `json:"verbs,omitempty"`
	Resources []string `json:"resources,omitempty"`
	// Took is how long a process took to end after it was told to, or how long a node took
	// to run a Pod.
	Took metav1.Duration `json:"took,omitzero"`
}

// The reasons of events that a verdict may depend on. Other reasons are defined where they
// are recorded.
const (
	SubjectStarted = "SubjectStarted"
	// ReplicaStarted: a process of a replica is running.
	ReplicaStarted = "ReplicaStarted"
	// ReplicaStartFailed: a process of a replica could not be started.
	ReplicaStartFailed = "ReplicaStartFailed"
	// ReplicaCrashed: a process ended, and nobody had told it to end.
	ReplicaCrashed = "ReplicaCrashed"
	// ReplicaLost: a process was killed from outside the bench, for example by the system
	// when memory runs out.
	ReplicaLost = "ReplicaLost"
	// ReplicaOverLimit: a process was killed because it used more than a subject may.
	ReplicaOverLimit = "ReplicaOverLimit"
	// ReplicaKilled: a process was killed because a Disruption said so.
	ReplicaKilled = "ReplicaKilled"
	// ReplicaTerminated and ReplicaInterrupted: a process ended because a Disruption told
	// it to end.
	ReplicaTerminated  = "ReplicaTerminated"
	ReplicaInterrupted = "ReplicaInterrupted"
	// ReplicaStopped: a process ended because its Subject was deleted.
	ReplicaStopped = "ReplicaStopped"
	// ReplicaPartitioned: from now on the replica cannot reach the API server.
	ReplicaPartitioned = "ReplicaPartitioned"
	// ReplicaHealed: the replica can reach the API server again.
	ReplicaHealed = "ReplicaHealed"
	// ReplicaSilenced: from now on the replica's requests do not arrive and get no
	// answers, but its process goes on. This is how a Pod is paused.
	ReplicaSilenced = "ReplicaSilenced"
	// ReplicaHeard: the replica's requests arrive and get answers again.
	ReplicaHeard = "ReplicaHeard"
	// ReplicaPaused: the process of the replica is stopped, and does nothing.
	ReplicaPaused = "ReplicaPaused"
	// ReplicaResumed: the process of the replica goes on after a pause.
	ReplicaResumed = "ReplicaResumed"
	// WebhookCut: from now on the API server cannot reach the controller's webhook.
	WebhookCut = "WebhookCut"
	// PageServed: a replica serves the page MetricsPage or HealthPage.
	PageServed = "PageServed"
	// FaultArmed: a Fault acts, but has hit nothing yet.
	FaultArmed = "FaultArmed"
	// FaultFired: a Fault has hit something for the first time.
	FaultFired = "FaultFired"
	// FaultDone: a Fault has hit as often as it must.
	FaultDone = "FaultDone"
	// Exempted: a measurement is as expected, but only because the profile exempts
	// requests.
	Exempted = "Exempted"
	// FaultInvalid: a Fault can never act.
	FaultInvalid = "FaultInvalid"
	// DisruptionDone: a Disruption did what it asked for.
	DisruptionDone = "DisruptionDone"
	// DisruptionFailed: what a Disruption asked for could not be done, and that was not
	// the controller's fault.
	DisruptionFailed = "DisruptionFailed"
	// StepBegan: the scenario began the step that Message names, or its clean-up.
	StepBegan = "StepBegan"
	// StepFailed: an operation failed in the step that Message names. Only the first
	// failure is recorded.
	StepFailed = "StepFailed"
	// ScenarioActed: the scenario wrote something itself, as Message says: patch Deployment
	// demo. It says nothing about what a step is about, so no verdict depends on it.
	ScenarioActed = "ScenarioActed"
	// PodSlow: the nodes took long to run a Pod of the scenario, or did not run it before
	// the end.
	PodSlow = "PodSlow"
	// NoBystanders: not all objects that look like children could be made.
	NoBystanders = "NoBystanders"
	// NamesakeMade: the bench may have made a bystander with the name in Object. The
	// controller had asked for this name, and nothing was there.
	NamesakeMade = "NamesakeMade"
	// HistoryCut: the file of the history became too large, or had broken lines; a part of
	// it is missing.
	HistoryCut = "HistoryCut"
)

// The pages of an event PageServed, by their paths.
const (
	MetricsPage = "/metrics"
	HealthPage  = "/healthz"
)
