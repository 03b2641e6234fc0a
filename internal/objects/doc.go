// Package objects serves the kinds of the bench. Each kind is an [Actor]; what holds
// for all of them stands here once.
//
// # Created means in force
//
// A new object is put in force while the API server still has its creation in hand:
// an [Admission] hook asks the kind's actor, and what cannot be is refused there and
// then, with the reason. When `kubectl create` has returned, a Fault is armed, a
// window is open, a history is watched.
//
// # Status
//
// The actor says what the status is now, and it is written where it differs. Objects
// that were never admitted, since the bench was not there when they were created, are
// put in force as soon as they are seen.
//
// # End
//
// An object that is gone is in force no more. Where that takes time and may fail, as
// with processes, the actor is an [Ender], and the object stays until it is done.
package objects
