// Package explore tells what a controller is like from what was seen of it: the versions
// of the objects in its namespace while things were done to them, one after the other,
// and its requests. It does nothing itself; internal/visit does and records.
//
// What it finds is a profile with a note for each field: whether that was seen, read in
// the CRD, or guessed. [Compare] holds a profile that somebody wrote against one.
package explore
