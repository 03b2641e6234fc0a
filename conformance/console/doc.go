// Package console shows a run to the person who started it: on a terminal, live
// lines of what runs and what it waits for; elsewhere, plain lines.
package console
