// Package invariant finds what a controller under test must never do, in its recorded
// traffic.
//
// Each rule is a file, and a [Rule]. A rule accuses only of what is proved: where the
// record can be read in two ways, it takes the one in the controller's favour. Only
// requests for the contract's kinds accuse, unless the profile declares them as exempt.
// There are two exceptions. A hot loop counts whatever its requests are for. And a
// bystander, which the bench has made, belongs to somebody else, whatever its kind is.
package invariant
