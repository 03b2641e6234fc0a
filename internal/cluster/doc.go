// Package cluster keeps a cluster as it was found: one bench at a time works there
// ([Take]), what it brings is new or the same as what is there ([Define]), and all of it
// is marked and goes in the end ([Clean]), also where the bench was killed.
package cluster
