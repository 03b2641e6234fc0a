// Package snapshot serves the Snapshot objects. A Snapshot is a digest of a scenario's
// objects, without what differs between any two runs. So the results of two histories can
// be compared. What differs is data: see rules.yaml.
package snapshot
