// Package visit starts a controller once on the bench, does to it what users do, one thing
// after the other, and records what can be seen. internal/discover/infer then
// says what the record shows.
package visit
