// Package scenario holds what turns the scenarios into tests that run. It has no code of its
// own: each package below does one job.
//
// In: the files below scenarios/, and a profile.
// Out: requirements, plain Chainsaw tests for the profile's controller, and what Chainsaw
// reports about them.
//
//   - catalogue reads the requirement that a scenario proves;
//   - misspelt finds what the author of a scenario has mistyped;
//   - dialect is the part of the languages in a scenario that can be translated;
//   - render translates a scenario for another implementation;
//   - chainsaw runs the tests with Chainsaw's own runner, in a process of its own.
package scenario
