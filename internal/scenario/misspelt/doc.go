// Package misspelt finds what the author of a scenario has mistyped: a field that a test of
// Chainsaw, an object of the bench or one of the reference does not have, a binding that a
// template does not use, a variable that nothing defines, or the name of an object of the
// bench that no step creates. It also finds a step whose name does not begin with Given,
// When or Then. Chainsaw accepts all of these, or reports them only when it runs the step.
package misspelt
