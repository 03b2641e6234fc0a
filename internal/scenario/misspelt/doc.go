// Package misspelt finds what somebody who writes a scenario has mistyped: a field that an
// object of the bench or of the reference does not have, a binding that a template does not
// use, a step whose name begins with none of the three words. Chainsaw takes all of these.
package misspelt
