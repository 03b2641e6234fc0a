// Package catalogue reads scenarios into the requirements that they prove: what an
// implementation must do, to which implementations this applies, and which mistake it
// catches.
//
// All of this is written in the scenario, in the labels, annotations and description of its
// Chainsaw test; nothing is written twice. Reading is strict: what is missing, misspelt or
// given twice is an error with file and line, and all errors are reported at once.
package catalogue
