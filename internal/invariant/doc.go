// Package invariant finds what a controller under test must never do, in the traffic that was recorded of it.
//
// Each rule is a file, and a [Rule]. A rule judges by what is proved alone: where the record leaves two readings, it
// takes the one in the controller's favour. Only requests for the contract's kinds accuse, those aside that the profile
// declares as exempt.
package invariant
