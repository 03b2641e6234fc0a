// Package bench turns a control plane into a test bench: it installs what the profile
// needs, and serves the objects that scenarios are written with. A Subject starts processes
// behind recording proxies, a Traffic counts requests, an Observation watches objects.
//
// In: a control plane, and one or more profiles.
// Out: objects with a status: what was done, and whether it was found as expected.
//
// Each kind is served by a package of its own: subject, fault, disruption, drift, load,
// traffic, observation, snapshot and trial. What they have in common is in objects.
// bystander makes objects that the controller must leave alone, pods makes Pods behave on
// real nodes as they do here, cluster leaves somebody's cluster as it was found, and ports
// finds ports on which replicas can listen.
//
// Scenarios on a bench do not disturb each other: each has its own namespace, and every
// Subject sees only the namespace of its scenario.
package bench
