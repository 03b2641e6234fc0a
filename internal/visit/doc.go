// Package visit starts a controller once on the bench, does to it what users do, one thing
// after the other, and records what can be seen. internal/explore then says what the record
// shows.
package visit
