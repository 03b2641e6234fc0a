package subject

import "reconform.dev/reconform/internal/record/history"

// The reasons of the events that Subjects leave in the history.
const (
	EventSubjectStarted = history.SubjectStarted
	EventSubjectStopped = "SubjectStopped"
	// EventStarted: a process of a replica runs.
	EventStarted = history.ReplicaStarted
	// EventStartFailed: a process of a replica could not be started.
	EventStartFailed = history.ReplicaStartFailed
	// EventCrashed: a process ended although nobody had told it to.
	EventCrashed = history.ReplicaCrashed
	// EventLost: a process was killed, and not by the bench.
	EventLost = history.ReplicaLost
	// EventOverLimit: a process was killed because it used too much.
	EventOverLimit = history.ReplicaOverLimit
	// EventKilled, EventTerminated, EventInterrupted and EventEvicted: a process ended
	// because of a Disruption.
	EventKilled      = history.ReplicaKilled
	EventEvicted     = "ReplicaEvicted"
	EventTerminated  = history.ReplicaTerminated
	EventInterrupted = history.ReplicaInterrupted
	// EventCrashOrdered: a process was killed by a Fault.
	EventCrashOrdered = "ReplicaCrashOrdered"
	// EventPartitioned and EventHealed: a replica cannot reach the API server; it can again.
	EventPartitioned = history.ReplicaPartitioned
	EventHealed      = history.ReplicaHealed
	// EventPaused and EventResumed: the process of a replica is stopped; it goes on.
	EventPaused  = history.ReplicaPaused
	EventResumed = history.ReplicaResumed
	// EventSilenced and EventHeard: a Pod is paused; it goes on.
	EventSilenced = history.ReplicaSilenced
	EventHeard    = history.ReplicaHeard
	// EventWebhookCut and EventWebhookMended: the API server cannot reach the webhook of a
	// replica; it can again.
	EventWebhookCut    = history.WebhookCut
	EventWebhookMended = "WebhookMended"
	// EventNoBystanders: not all objects that look like children could be made.
	EventNoBystanders = history.NoBystanders
	// EventStopped: a process ended because it was asked to.
	EventStopped = history.ReplicaStopped
	// EventStopFailed: a process could not be ended in order.
	EventStopFailed = "ReplicaStopFailed"
)
