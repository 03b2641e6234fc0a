package fault

import (
	"encoding/json"
	"time"

	"reconform.dev/reconform/internal/record/stream"
)

// effect is what a Fault does to one stream, from the moment when it first sees the
// stream. Its methods are called one at a time.
type effect interface {
	// arrived says whether an event from the API server passes.
	arrived(s *streamBody, event stream.Event) bool
	// late returns by how much the delivery of events is delayed.
	late() time.Duration
	// breaks says whether the stream breaks off in the middle of this event, which is due.
	breaks(s *streamBody, event stream.Event) bool
	// turn does what the effect wants to do without an event. It is called at the start,
	// after every event, after every change of the Faults, and at the time that the last
	// move asked for.
	turn(s *streamBody) move
	// lifted is called when the effect ends. It may end the stream.
	lifted(s *streamBody) move
}

// move is what an effect does without an event.
type move struct {
	// send this event, as if it came from the API server.
	send json.RawMessage
	// end the stream, after the event last if that is set.
	end  bool
	last json.RawMessage
	// wake is when to ask again; zero means after the next event.
	wake time.Time
}

// inert is an effect that does nothing. Other effects embed it.
type inert struct{}

func (inert) arrived(*streamBody, stream.Event) bool { return true }
func (inert) late() time.Duration                    { return 0 }
func (inert) breaks(*streamBody, stream.Event) bool  { return false }
func (inert) turn(*streamBody) move                  { return move{} }
func (inert) lifted(*streamBody) move                { return move{} }

// claim is a stream's one hit of a Fault. It is taken when the Fault first changes
// something in the stream, and counts once.
type claim struct {
	inert
	// take counts the hit. It returns false if the Fault skips this stream, or has no hits left.
	take func() bool
	// hide counts events that were kept from the controller. It is nil if nobody counts them.
	hide func(events int)
	// asked says that take was called, and taken is what it returned.
	asked, taken bool
}

// hid reports events that were kept from the controller.
func (c *claim) hid(events int) {
	if c.hide != nil {
		c.hide(events)
	}
}

// hit takes the claim, if that was not done before, and returns whether the Fault may act.
func (c *claim) hit() bool {
	if !c.asked {
		c.asked, c.taken = true, c.take()
	}
	return c.taken
}
