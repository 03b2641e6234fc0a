// Package student manages the folder in which a student works on a lab. The folder is made
// from the lab's start, is its own Go module, and stores the progress. A student's work is
// never overwritten: when files are reset, the old ones are kept.
package student
