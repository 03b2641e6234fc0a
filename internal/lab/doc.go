// Package lab knows the labs: what each asks for, how it is judged, and what helps. A lab
// is a folder with a lab.yaml and a text. The check of one knows only the profile of a
// controller, which may be written in any language.
//
// The packages below do one thing each: steps makes the starts and the solutions, student
// has the folder of a student, standing keeps a control plane up between checks, play
// judges by what a controller prints, and check puts these together.
package lab
