// Package baseline reads a file of known failures: which ones, and until when. It compares
// them with the results of a run. This baseline lets CI fail only for new failures.
package baseline
