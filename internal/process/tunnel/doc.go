// Package tunnel carries connections between the bench and a Pod over one stream of bytes,
// such as the input and output of a program that runs in the Pod. The bench serves a
// listener in the Pod, and the bench connects to ports of the Pod.
//
// The bench opens the stream with exec. No subject has the right to do that, so nobody else
// can be at the other end. [Open] is for the bench, [Serve] for the program in the Pod.
package tunnel
