package subject

import "reconform.dev/reconform/internal/history"

// The reasons of the events that Subjects leave in the history.
const (
	EventSubjectStarted = history.SubjectStarted
	EventSubjectStopped = "SubjectStopped"
	// EventStarted: a process of a replica runs.
	EventStarted = history.ReplicaStarted
	// EventStartFailed: a process of a replica could not be started.
	EventStartFailed = history.ReplicaStartFailed
	// EventCrashed: a process ended, and nobody had asked it to.
	EventCrashed = history.ReplicaCrashed
	// EventLost: a process was killed, and nobody of the bench had ordered it.
	EventLost = history.ReplicaLost
	// EventOverLimit: a process was killed because it held too much.
	EventOverLimit = history.ReplicaOverLimit
	// EventKilled, EventTerminated, EventInterrupted and EventEvicted: a process ended
	// because a Disruption had it ended.
	EventKilled      = "ReplicaKilled"
	EventEvicted     = "ReplicaEvicted"
	EventTerminated  = history.ReplicaTerminated
	EventInterrupted = history.ReplicaInterrupted
	// EventCrashOrdered: a process was killed by a Fault.
	EventCrashOrdered = "ReplicaCrashOrdered"
	// EventPartitioned and EventHealed: a replica cannot reach the API server, and
	// can again.
	EventPartitioned = history.ReplicaPartitioned
	EventHealed      = history.ReplicaHealed
	// EventSilenced and EventHeard: a Pod is paused, and goes on.
	EventSilenced = history.ReplicaSilenced
	EventHeard    = history.ReplicaHeard
	// EventWebhookCut and EventWebhookMended: the API server cannot reach the webhook of
	// a replica, and can again.
	EventWebhookCut    = history.WebhookCut
	EventWebhookMended = "WebhookMended"
	// EventNoBystanders: not all objects that look like children could be made.
	EventNoBystanders = history.NoBystanders
	// EventStopped: a process ended because it was asked to.
	EventStopped = "ReplicaStopped"
	// EventStopFailed: a process could not be ended in the orderly way.
	EventStopFailed = "ReplicaStopFailed"
)
