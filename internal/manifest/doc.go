// Package manifest reads manifests as they are shipped: a file of one or more objects, a
// folder of such files, a kustomization, which is built, or a Helm chart, which is filled
// in with its values. Nothing is fetched, and nothing is executed.
//
// What is wrong with an object is told with its file, line and field: what is there, and
// what is due.
package manifest
