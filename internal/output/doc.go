// Package output keeps what the processes of a replica write: the first part of it as it is
// written, and the last part when a process ends. What is between them costs nothing. Of
// the bench's own logs it keeps the first part.
package output
