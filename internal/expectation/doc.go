// Package expectation judges numbers and times: whether what was found is as expected,
// and how to say so. It does not know where they come from.
package expectation
