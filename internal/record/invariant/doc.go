// Package invariant checks the recorded traffic of a controller under test for what it
// must never do.
//
// Each rule is a file, and a [Rule]. A rule accuses only of what is proved: if the record
// can be read in two ways, the rule takes the one that is better for the controller. Only
// requests for the contract's resources accuse, unless the profile declares them as
// exempt. There are two exceptions. A hot loop counts whatever its requests are for. And a
// bystander made by the bench belongs to somebody else, whatever its kind is.
package invariant
