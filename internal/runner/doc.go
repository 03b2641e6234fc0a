// Package runner carries out a run: it starts a control plane and a bench on
// it, has Chainsaw execute the scenarios, and turns what happened into a report.
package runner
