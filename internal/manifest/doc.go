// Package manifest reads manifests as they are shipped: a file of one or more objects, a
// folder of such files, a kustomization, which is built, or a Helm chart, which is filled
// in with its values. Nothing is fetched, and nothing is executed.
//
// An error about an object has its file, line and field. It says what is there, and
// what is due.
package manifest
