// Package grade judges what many students have handed in, one after the other. [One] grades
// one submission, in its own process, so that the others are graded whatever happens to it.
// [Class] starts these processes, ends those that take too long, and removes what they
// leave. [Sheet] is the table.
//
// A submission is copied first (see package submission). It is built in the same isolation
// in which it runs: in its own namespaces, without a network, only with modules of the
// module cache, and without cgo. It gets its own control plane.
package grade
