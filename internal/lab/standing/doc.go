// Package standing keeps a control plane up between the checks of labs. [Keep] is the
// process in the background that has it; [Borrow] has a check use it, and starts that
// process where there is none.
//
// They meet at a socket in a folder that only this user can enter. A borrower holds a
// connection as long as it works, and one works at a time. The keeper ends after some
// idle minutes, or when it is told to. Its control plane cannot outlive it, and its
// folder is held by a lock: what a killed one leaves is taken over by the next.
package standing
