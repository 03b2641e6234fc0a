// Package verdict turns what happened into a verdict: on one requirement, and
// on the whole run. It only judges: it runs nothing and asks nobody.
package verdict
