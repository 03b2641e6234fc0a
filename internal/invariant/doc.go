// Package invariant finds what a controller under test must never do, in its recorded
// traffic.
//
// Each rule is a file, and a [Rule]. A rule accuses only of what is proved: where the
// record can be read in two ways, it takes the one in the controller's favour. Only
// requests for the contract's kinds accuse, unless the profile declares them as exempt.
// There are two exceptions: a loop is one whatever it is for, and a bystander, which the
// bench has put beside the children, is somebody else's, of whatever kind it is.
package invariant
