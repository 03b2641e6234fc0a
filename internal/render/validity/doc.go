// Package validity checks what package render writes with Chainsaw's own loader. It is
// a package of its own because linking Chainsaw takes minutes.
package validity
