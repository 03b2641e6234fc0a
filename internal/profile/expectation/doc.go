// Package expectation judges numbers and times: whether a finding is as expected, and how
// to say so. It does not know where the findings come from.
package expectation
