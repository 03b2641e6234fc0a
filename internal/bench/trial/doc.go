// Package trial serves the Trial objects. A Trial carries out operations, disturbs the
// subject once while it acts, and compares the outcome with the undisturbed one.
//
// A Trial has no engine of its own. It creates Faults and Disruptions like a person, takes
// the outcome as a Snapshot does, and changes children as a Drift does.
//
// Meanwhile it follows all versions of the objects, because the controller can do harm on the
// way to a right outcome. The invariants judge its requests. What users saw is judged in
// claims.go, behind.go, told.go and mark.go.
package trial
