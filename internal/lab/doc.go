// Package lab knows the labs: what each asks for, how it is judged, and which hints there
// are. A lab is a folder with a lab.yaml and a text. The check of a lab knows only the
// profile of a controller, so the controller may be written in any language.
//
// In: a lab's folder, and what a student wrote.
// Out: what is reached, what is not, and a hint.
//
// Each package below does one thing:
//
//   - steps makes the starts and the solutions, and mistake the starts of debug labs;
//   - student manages the folder of a student;
//   - standing keeps a control plane up between checks;
//   - play judges what a controller prints;
//   - check combines these, and says which goals of a lab are reached;
//   - predict lets a student predict the result of an experiment, and carries it out;
//   - submission takes in what a student hands in, and grade judges many of these.
package lab
