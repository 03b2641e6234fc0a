// Package standing keeps a control plane up between the checks of labs. [Keep] runs in a
// background process that owns the control plane. [Borrow] lets a check use it, and starts
// that process if there is none.
//
// They meet at a socket in a folder that only this user can enter. A borrower holds a
// connection while it works, and only one works at a time. The keeper ends after some idle
// minutes, or when it is told to. Its control plane cannot outlive it. Its folder is
// locked: what a killed keeper leaves is taken over by the next.
package standing
