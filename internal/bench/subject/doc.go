// Package subject serves Subjects: the controller under test, as one or more replicas. A
// replica is a process behind a recording proxy of its own. It is started again if it ends,
// and has exactly the rights that the implementation's own manifests ask for.
//
// Files, from the outside in: controller.go keeps each Subject's status current;
// instance.go is one Subject; replica.go is one of its replicas; life.go is one process of
// a replica, from its start to its end. disrupt.go has what is done to a replica.
// bystanders.go asks for objects around the controller's first child that look like it.
// webhooks.go registers the webhooks that a controller serves, and webhook_calls.go asks
// them.
package subject
