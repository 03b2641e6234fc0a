// Package observation serves the Observation objects. Of an object it watches the
// whole history, and holds every version against a CEL rule that must never come
// true: polling sees the present, and a state that lasted 20 ms is seen only
// here. Of a replica it reads, every second, what it serves or what it writes to
// its log.
package observation
