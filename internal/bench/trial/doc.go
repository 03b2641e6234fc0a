// Package trial serves the Trial objects. A Trial carries out operations, disturbs the
// subject once while it acts, and compares the outcome with the undisturbed one.
//
// A Trial has no engine of its own. It creates Faults and Disruptions like a person, takes
// the outcome as a Snapshot does, and changes children as a Drift does.
//
// It follows all versions of the objects meanwhile. What happened on the way can be harm,
// although the outcome is right: the invariants judge the requests, and a file for each
// (claims, behind, told, mark) judges what users saw.
package trial
