// Package dialect is the part of Chainsaw's, CEL's and kubectl's languages that
// scenarios may use: what can be mapped to another implementation without a
// guess. Each is read by its own parser: JMESPath by the one that Chainsaw has,
// CEL by cel-go, a kubectl command by a table of commands. What a parser
// refuses, and what is not in the tables here, is an error.
//
// The package knows words and their grammar only. What they mean for an object of the
// contract is known to package render.
package dialect
