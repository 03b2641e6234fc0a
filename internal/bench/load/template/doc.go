// Package template makes the objects of a Load: from one template and a number, one object.
// The renderer uses the same language, so that a rendered template means the same.
package template
