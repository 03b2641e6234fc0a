// Package visit starts a controller once on the bench, does to it what users do, one thing
// after the other, and records what can be seen meanwhile. What that shows is for
// internal/explore to say.
package visit
