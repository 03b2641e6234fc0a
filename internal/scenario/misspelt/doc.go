// Package misspelt finds what somebody who writes a scenario has mistyped: a field that
// an object of the bench or of the reference does not have, a binding that a template
// does not use, a variable that nothing defines, a step whose name begins with none of
// the three words. Chainsaw accepts all of these, or reports them only when it comes to
// the place.
package misspelt
