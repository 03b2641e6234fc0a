// Package evidence explains to people why a requirement was not met. The terminal and `go
// test` use the same words.
package evidence
