package fault

import "time"

// shortest is how long a stream lives that is not to be closed at once: a watch
// that lived under a second and delivered nothing counts as an error with
// clients, whose clocks start a little later than ours.
const shortest = 1100 * time.Millisecond

// closing ends the stream without a word, as a server does that restarts: at
// once, or once it has delivered as many events as it is to, or has lived for a
// second. The objects that a streaming list begins with do not count.
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
