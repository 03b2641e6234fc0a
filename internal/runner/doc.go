// Package runner carries out a run: it starts a control plane with a bench, lets Chainsaw
// execute the scenarios, and writes a report about what happened.
package runner
