// Package capture keeps what the processes of a replica write: the first part as it is
// written, and the last part when a process ends. What is between them costs nothing. Of
// the bench's own logs it keeps only the first part.
package capture
