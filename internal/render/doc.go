// Package render translates scenarios, which are written against the reference
// contract, into plain Chainsaw tests for the implementation that a profile
// describes.
//
// The translation never guesses. It works on the parsed YAML, and on the syntax
// trees of the expressions, rules and commands in it (package dialect), and
// follows each part of them to the field of the object that it comes from
// (place, shape). A field or a value is mapped where that is known, by the one
// table of the contract (contract.go), and a word that only looks like one
// stays. What cannot be followed is an error when the scenario is loaded, with
// file and line: write it in another way.
//
// A scenario that cannot be mapped to one implementation without changing what
// is proved is a Skip, with the reason. Numbers outside of the implementation's bounds
// are replaced by others, in the same order, where it is certain what each of them
// counts.
//
// For the reference profile nothing changes except step templates, which are inlined,
// and bindings of the contract's constants.
package render
