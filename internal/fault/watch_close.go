package fault

import "time"

// shortest is how long a stream lives that need not be closed at once. For clients,
// whose clocks start a little later than ours, a watch is an error that lived under a
// second and delivered nothing.
const shortest = 1100 * time.Millisecond

// closing ends the stream without an event, as a server does that restarts: at once, or
// once it has delivered a number of events, or has lived for a second. The objects that
// a streaming list begins with do not count.
type closing struct {
	claim
	after int
}

func (c *closing) turn(s *streamBody) move {
	if c.after > 0 && (s.sent.initial || s.sent.events < c.after) {
		end := s.sent.since.Add(shortest)
		switch {
		case s.sent.initial:
			return move{}
		case time.Now().Before(end):
			return move{wake: end}
		}
	}
	return move{end: c.hit()}
}
