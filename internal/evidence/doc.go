// Package evidence tells people why a requirement was not met. The terminal and
// `go test` say it in the same words.
package evidence
