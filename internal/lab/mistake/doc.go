// Package mistake makes what a debug lab gives to the student: the last solution of the
// build labs, which students know, with one classic mistake of the kill matrix in it.
// There are no copies of that controller: each lab has a patch, and what is given is made
// of both when the lab is started.
package mistake
