// Package grade judges what many students have handed in, one after the other. [One] does
// so with one of them, and is run in a process of its own: whatever becomes of it, the
// others are graded. [Class] starts these processes, ends those that take too long, and
// removes what they leave. [Sheet] is the table.
//
// A submission is copied first (see package submission). It is built as it is run: in
// namespaces of its own, without a network, with the modules that are in the module cache
// and without cgo; and it gets a control plane of its own.
package grade
