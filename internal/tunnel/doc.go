// Package tunnel carries connections between the bench and a Pod over one stream of
// bytes, such as the input and output of a program that runs in the Pod. What listens
// in the Pod is served by the bench, and the bench connects to what the Pod serves.
//
// The bench opens the stream (with exec, for which it needs a right that no subject
// has), so nobody else can be at its other end: [Open] is for the bench, [Serve] for
// the program in the Pod.
package tunnel
