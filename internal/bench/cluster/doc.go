// Package cluster makes sure that a cluster stays as it was found: only one bench at a time
// works there ([Take]); what it brings is new, or the same as what exists ([Define]); and
// all of it is marked and removed at the end ([Clean]), even if the bench was killed.
package cluster
