package bench

import "reconform.dev/reconform/conformance/history"

// The reasons of the events that the bench writes into the history.
const (
	EventSubjectStarted = history.SubjectStarted
	EventSubjectStopped = "SubjectStopped"
	// EventStarted: a process of a replica runs.
	EventStarted = history.ReplicaStarted
	// EventStartFailed: a process of a replica could not be started.
	EventStartFailed = "ReplicaStartFailed"
	// EventCrashed: a process ended, and nobody had asked it to.
	EventCrashed = history.ReplicaCrashed
	// EventStopped: a process ended because it was asked to.
	EventStopped = "ReplicaStopped"
	// EventStopFailed: a process could not be ended in the orderly way.
	EventStopFailed = "ReplicaStopFailed"
)
