// Package student has the folder in which a student works on a lab: it is made from the
// lab's start, is a Go module of its own, and keeps the progress. What a student has
// written is never overwritten: where files are put back, the old ones are kept aside.
package student
