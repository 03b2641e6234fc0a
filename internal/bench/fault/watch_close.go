package fault

import "time"

// closing ends the stream without an event, like a server that restarts: at once, or after
// some time. The first objects of a streaming list are sent before that.
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
