// Package verdict turns what happened into a verdict: on one requirement, from a [Case]
// that holds all that is known about its scenario, and on the whole run. It only judges:
// it runs nothing and makes no requests.
//
// In: what Chainsaw reported of a scenario, and the history of its requests.
// Out: a verdict, its reason, and the requirement that is the cause, if there is one.
//
// Below it, seen says what a whole run shows, apart from its scenarios, and baseline compares the
// verdicts with a file of known failures.
package verdict
