// Package infer tells what a controller is like. It knows that from a record of a visit:
// the versions of the objects in the controller's namespace while things were done to them,
// one after the other, and the controller's requests. This package does nothing to the
// controller; internal/discover/visit acts and records.
//
// The result is a profile, with a note for each field that says whether the value was seen,
// read in the CRD, or guessed. [Compare] compares a profile that somebody wrote with a
// record.
package infer
