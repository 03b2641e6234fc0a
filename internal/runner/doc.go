// Package runner carries out a run: it starts a control plane with a bench, lets Chainsaw
// execute the scenarios, and writes a report about what happened.
//
// In: a profile and a plan: the scenarios that are selected for it.
// Out: a ConformanceReport and its files.
package runner
