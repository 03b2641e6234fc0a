// Package validity holds what package render writes against Chainsaw's own
// loader. It is a package of its own because linking Chainsaw takes minutes.
package validity
