package fault

import "time"

// closing ends the stream without an event, as a server does that restarts: at once, or
// when it has lived for some time. The objects that a streaming list begins with come
// first.
type closing struct {
	claim
	after time.Duration
}

func (c *closing) turn(s *streamBody) move {
	if c.after > 0 {
		end := s.sent.since.Add(c.after)
		switch {
		case s.sent.initial:
			return move{}
		case time.Now().Before(end):
			return move{wake: end}
		}
	}
	return move{end: c.hit()}
}
