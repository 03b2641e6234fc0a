// Package validity checks the output of package render with Chainsaw's own loader. It is a
// separate package because linking Chainsaw takes minutes.
package validity
