// Package verdict turns what happened into a verdict: on one requirement, by a
// [Case] that holds all that is known of its scenario, and on the whole run. It
// only judges: it runs nothing and asks nobody.
package verdict
