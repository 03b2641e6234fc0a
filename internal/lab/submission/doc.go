// Package submission takes in what a student hands in, for grading. It copies the
// submission, because grading writes to it, and reads nothing outside it. The content is
// not trusted: links may lead anywhere, a file may be a device or have no end, and a
// profile may ask for more than a controller needs.
package submission
