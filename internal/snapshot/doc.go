// Package snapshot serves the Snapshot objects: it digests the objects of a
// scenario, without what differs between any two runs, and compares the outcome
// of two histories. What differs is data: see rules.yaml.
package snapshot
