// Package expectation judges numbers and times: is what was found as expected, and
// how is it told. It knows nothing of where they come from.
package expectation
