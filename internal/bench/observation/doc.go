// Package observation serves the Observation objects. It watches the whole history of
// an object, and checks every version against rules in CEL: one that must never be
// true, and one that must become true. Polling sees only the current state; a state
// that lasted 20 ms is seen only here. It also reads every second what a replica
// serves, or what a replica writes to its log.
package observation
