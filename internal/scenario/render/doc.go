// Package render translates scenarios, which are written against the reference
// contract, into plain Chainsaw tests for the implementation that a profile
// describes.
//
// The translation never guesses. It works on the parsed YAML, and on the syntax trees of
// the expressions, rules and commands in it (package dialect). It follows each part of
// them to the field of the object that the part comes from (place, shape). If that field
// is known, the field or value is mapped by the only table of the contract (contract.go).
// A word that only looks like a field stays. What cannot be followed is an error when the
// scenario is loaded, with file and line: write it in another way.
//
// If a scenario cannot be mapped to an implementation without changing what it proves, the
// result is a Skip with the reason. Numbers outside the implementation's bounds are
// replaced by others in the same order, if it is certain what each of them counts.
//
// For the reference profile only two things change: step templates are inlined, and
// bindings of the contract's constants get their values. The label that says that a scenario
// needs no contract is left out.
//
// If the profile has no contract, the scenarios that need none are first rewritten so that
// they are about what the controller serves (generalizer).
package render
