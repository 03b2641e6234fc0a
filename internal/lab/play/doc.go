// Package play judges what a controller prints. It is for labs in which the controller
// makes no children yet, or in which the order of its own steps matters. A play starts the
// controller like every subject, does something to WebApps, and reads the lines that the
// controller prints. The lab's text says which words these must contain, so the controller
// can be written in any language.
package play
