// Package play judges what a controller prints: for the labs in which it makes no
// children yet, and where the order of its own steps is what counts. A play starts the
// controller as every subject is started, does something to WebApps, and reads the lines
// that come. Which words they have is said in the lab's text; the language in which the
// controller is written makes no difference.
package play
