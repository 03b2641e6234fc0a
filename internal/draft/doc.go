// Package draft writes a profile as a commented YAML file: beside each field stands
// whether it was seen, read or guessed, and where nothing is known, a question.
package draft
