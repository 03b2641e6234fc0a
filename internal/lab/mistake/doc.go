// Package mistake makes the start of a debug lab: the last solution of the build labs,
// which students know, with one classic mistake of the kill matrix in it. There are no
// copies of that controller: each lab has only a patch, and the start is made from both
// when the lab is started.
package mistake
