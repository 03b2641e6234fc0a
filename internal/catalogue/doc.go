// Package catalogue reads scenarios into the requirements that they prove: what
// an implementation must do, whom it applies to, and which mistake it catches.
//
// A scenario says so itself, in the labels, annotations and description of its
// Chainsaw test; nothing is kept twice. Reading is strict: what is missing,
// misspelt or given twice is an error with file and line, and all of them are
// reported at once.
package catalogue
