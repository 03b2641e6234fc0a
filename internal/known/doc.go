// Package known reads which failures of a controller its people know of, until when, and
// holds them against the results of a run: a baseline, so that CI fails for what is new.
package known
