// Package render translates scenarios, which are written against the reference
// contract, into plain Chainsaw tests for the implementation that a profile
// describes.
//
// The translation is structural: it works on the parsed YAML, knows what each
// Chainsaw operation does to which object, and never guesses. A scenario that
// it cannot map without changing what is proved is a Skip, with the reason.
// For the reference profile nothing changes but step templates, which are
// inlined, and bindings of the contract's constants.
package render
