// Package merge makes one report from several: from the shards of a selection, which ran
// at the same time, or from several runs of the same selection.
//
// It reads what the runs have written, and runs nothing. It merges reports only if they
// are about the same implementation, the same selection and the same version of the suite.
// If no report judges a requirement, the whole result is inconclusive: a missing result
// never counts as passed.
package merge
