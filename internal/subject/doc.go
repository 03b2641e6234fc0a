// Package subject serves Subjects: the controller under test, as one or more
// replicas. A replica is a process behind a recording proxy of its own, started
// again where it ends, with exactly the rights that the implementation's own
// manifests ask for.
//
// Files, from the outside in: controller.go keeps each Subject's status current,
// instance.go is one Subject, replica.go one of its replicas, and life.go one
// process of that, from its start to its end. What is done to a replica is in
// disrupt.go. What is put around its first child, to look like one, is asked for in
// bystanders.go. The webhooks that a controller serves are registered in webhooks.go, and
// asked in webhook_calls.go.
package subject
