// Package output keeps what the processes of a replica write: the first part of it as it is
// written, and the last part when a process ends. What is between them costs nothing.
package output
