// Package verdict turns what happened into a verdict: on one requirement, from a [Case]
// that holds all that is known about its scenario, and on the whole run. It only judges:
// it runs nothing and makes no requests.
package verdict
