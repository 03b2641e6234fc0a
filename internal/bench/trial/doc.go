// Package trial serves the Trial objects. A Trial carries out operations, disturbs the
// subject once while it acts, and compares the outcome with the undisturbed one.
//
// A Trial has no engine of its own. It creates Faults and Disruptions like a person, takes
// the outcome as a Snapshot does, and changes children as a Drift does.
package trial
