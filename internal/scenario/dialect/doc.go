// Package dialect is the part of the languages of Chainsaw, CEL and kubectl that scenarios
// may use: what can be mapped to another implementation without guessing. Each language
// has its own parser: JMESPath has Chainsaw's, CEL has cel-go, and kubectl commands have a
// table of commands. What a parser refuses, and what is not in the tables here, is an
// error.
//
// This package knows only words and grammar. Package render knows what they mean for an
// object of the contract.
package dialect
