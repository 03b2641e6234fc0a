package fault

import (
	"encoding/json"
	"time"

	"reconform.dev/reconform/internal/stream"
)

// effect is what a Fault does to one stream, from the moment when they meet. Its
// methods are called one at a time.
type effect interface {
	// arrived says whether an event from the API server passes.
	arrived(s *streamBody, event stream.Event) bool
	// late is how late events are delivered.
	late() time.Duration
	// turn does what is due without an event. It is called at the beginning, after
	// every event, after every change of the Faults, and when the last move asked for
	// it.
	turn(s *streamBody) move
	// lifted does what is due when the effect ends: it may end the stream.
	lifted(s *streamBody) move
}

// move is what an effect does without an event.
type move struct {
	// send an event, as if it had come from the API server.
	send json.RawMessage
	// end the stream, with a last event where there is one.
	end  bool
	last json.RawMessage
	// wake is when to ask again; zero: after the next event.
	wake time.Time
}

// inert is an effect that does nothing. The others embed it.
type inert struct{}

func (inert) arrived(*streamBody, stream.Event) bool { return true }
func (inert) late() time.Duration                    { return 0 }
func (inert) turn(*streamBody) move                  { return move{} }
func (inert) lifted(*streamBody) move                { return move{} }

// claim is one stream's hit of a Fault. It is taken when the Fault first does something
// to the stream, and counts once.
type claim struct {
	inert
	take  func() bool
	hide  func(events int) // nil where nobody counts
	asked bool
	taken bool
}

// hid tells of events that were kept from the controller.
func (c *claim) hid(events int) {
	if c.hide != nil {
		c.hide(events)
	}
}

// hit takes the claim. It returns false where the Fault skips this stream, or has no
// hits left.
func (c *claim) hit() bool {
	if !c.asked {
		c.asked, c.taken = true, c.take()
	}
	return c.taken
}
