package subject

// The reasons of events on which no verdict depends. The others are in package history.
const (
	subjectStopped = "SubjectStopped"
	// replicaEvicted: a process ended because a Disruption evicted its Pod.
	replicaEvicted = "ReplicaEvicted"
	// replicaCrashOrdered: a process was killed by a Fault.
	replicaCrashOrdered = "ReplicaCrashOrdered"
	// replicaStopFailed: a process could not be ended in order.
	replicaStopFailed = "ReplicaStopFailed"
	// webhookMended: the API server can reach the webhook of the replica again.
	webhookMended = "WebhookMended"
)
