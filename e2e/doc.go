// Package e2e judges the reference controller on a real cluster.
package e2e
