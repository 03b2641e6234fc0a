// Package submission takes in what a student hands in, to be graded: it copies it, since
// grading writes to it, and looks at nothing that lies outside of it. What somebody else
// has written is not to be trusted: links may lead anywhere, a file may be a device or
// have no end, and a profile may ask for more than a controller needs.
package submission
