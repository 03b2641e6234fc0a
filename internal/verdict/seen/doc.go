// Package seen finds what the record of a whole run shows of an implementation, in
// addition to what its scenarios judge: features that its profile does not claim, and the
// times that it declares. It accuses nobody.
package seen
