// Package objects serves the kinds of the bench. Each kind is an [Actor]. What all of them
// have in common is here.
//
// # Created means in force
//
// A new object is put in force while the API server is still creating it: an [Admission]
// hook asks the kind's actor. An object that cannot be in force is refused at once, with
// the reason. When `kubectl create` has returned, a Fault is armed, a window is open, a
// history is watched.
//
// # Status
//
// The actor says what the status should be, and it is written if it differs. Objects that
// were never admitted, because the bench did not run when they were created, are put in
// force as soon as they are seen.
//
// # End
//
// An object that is deleted is no longer in force. If ending it takes time and may fail, as
// with processes, the actor is an [Ender], and the object stays until that is done.
package objects
