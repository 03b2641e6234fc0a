// Package merge makes one report of several: of the shards of a selection, which ran side
// by side, or of the same selection, judged more than once.
//
// It reads what the runs have written, and runs nothing. Reports are merged only where
// they are about the same implementation, told to judge the same selection, by the same
// suite. What no report judges makes the whole inconclusive: it is never taken for passed.
package merge
