// Package observation serves the Observation objects: it watches an object's
// whole history and holds every version against a CEL rule that must never come
// true. Polling sees the present; a state that lasted 20 ms is seen only here.
package observation
