// Package lab knows the labs: what each asks for, how it is judged, and which hints there
// are. A lab is a folder with a lab.yaml and a text. The check of a lab knows only the
// profile of a controller, so the controller may be written in any language.
//
// In: a lab's folder, and what a student wrote.
// Out: what is reached, what is not, and a hint.
//
// Each package below does one thing: steps makes the starts and the solutions, student
// manages the folder of a student, standing keeps a control plane up between checks, play
// judges what a controller prints, and check combines these.
package lab
