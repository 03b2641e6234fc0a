package fault

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"time"

	"reconform.dev/reconform/internal/record/stream"
)

// queueLimit limits the events that wait for delivery, in bytes. If it is reached, no more
// events are read, and the API server closes the stream, as for any slow watcher.
const queueLimit = 32 << 20

// effects are what acts on one stream.
type effects interface {
	// now returns the acting effects in their order. An effect stays the same as long as
	// its Fault acts. The channel is closed when there may be other effects.
	now() (acting []effect, changed <-chan struct{})
}

// streamBody is the body of a watch for the replica: the API server's body, changed by the
// effects.
type streamBody struct {
	query url.Values
	// seen is the progress of the events that came from the API server. sent is the
	// progress of the events that the replica got.
	seen, sent progress

	effects  effects
	acting   []effect
	upstream io.ReadCloser
	arrivals chan arrival
	queue    []arrival
	queued   int   // bytes in the queue
	ended    bool  // upstream has ended
	err      error // why upstream broke off; nil if it ended normally

	out     *io.PipeReader
	in      *io.PipeWriter
	gone    <-chan struct{} // closed when the replica has given up the request
	stopped chan struct{}
	done    chan struct{}
}

// arrival is an event from the API server.
type arrival struct {
	raw   json.RawMessage
	event stream.Event
	at    time.Time
}

// newStreamBody makes the body of a watch from the API server's body. It closes that body
// at the end. When ctx, that of the request, ends, the stream ends at once: events that it
// still holds back are for nobody.
func newStreamBody(ctx context.Context, query url.Values, upstream io.ReadCloser, effects effects) *streamBody {
	s := &streamBody{
		query: query, seen: begin(query), sent: begin(query),
		effects: effects, upstream: upstream, arrivals: make(chan arrival),
		gone: ctx.Done(), stopped: make(chan struct{}), done: make(chan struct{}),
	}
	s.out, s.in = io.Pipe()
	go s.receive()
	go func() {
		defer close(s.done)
		_ = s.in.CloseWithError(s.run()) // never an error
	}()
	return s
}

// Read reads what the replica gets.
func (s *streamBody) Read(p []byte) (int, error) { return s.out.Read(p) }

// Close ends the stream. It is called once.
func (s *streamBody) Close() error {
	close(s.stopped)
	_ = s.out.Close() // never an error
	err := s.upstream.Close()
	<-s.done
	return err
}

// receive receives what the API server sends.
func (s *streamBody) receive() {
	defer close(s.arrivals)
	events := stream.NewReader(s.upstream)
	for {
		raw, err := events.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		var event stream.Event
		if err == nil {
			event, err = stream.Parse(raw)
		}
		if err != nil {
			s.err = err
			return
		}
		select {
		case s.arrivals <- arrival{raw: raw, event: event, at: time.Now()}:
		case <-s.stopped:
			return
		}
	}
}

// run runs until the stream ends. An error says that the stream broke off.
func (s *streamBody) run() error {
	for {
		changed, last, end := s.meet()
		if end {
			return s.write(last)
		}
		wake, last, end := s.turns()
		if end {
			return s.write(last)
		}
		delivered, due, err := s.deliver()
		switch {
		case err != nil:
			return err
		case delivered:
			continue
		case s.ended && len(s.queue) == 0:
			return s.err
		}
		if !s.wait(changed, earlier(wake, due)) {
			return nil
		}
	}
}

// meet takes in the effects that act now, and ends those that no longer act.
func (s *streamBody) meet() (changed <-chan struct{}, last json.RawMessage, end bool) {
	now, changed := s.effects.now()
	for _, before := range s.acting {
		if slices.Contains(now, before) {
			continue
		}
		move := before.lifted(s)
		end = end || move.end
		if move.last != nil {
			last = move.last
		}
	}
	s.acting = now
	return changed, last, end
}

// turns lets every effect do what it wants to do without an event.
func (s *streamBody) turns() (wake time.Time, last json.RawMessage, end bool) {
	for _, effect := range s.acting {
		move := effect.turn(s)
		if move.end {
			return time.Time{}, move.last, true
		}
		if move.send != nil {
			if event, err := stream.Parse(move.send); err == nil {
				s.arrive(arrival{raw: move.send, event: event, at: time.Now()})
			}
		}
		wake = earlier(wake, move.wake)
	}
	return wake, nil, false
}

// arrive puts an event into the queue, unless an effect swallows it.
func (s *streamBody) arrive(a arrival) {
	passes := true
	for _, effect := range s.acting {
		passes = passes && effect.arrived(s, a.event)
	}
	s.seen.note(a.event)
	if passes {
		s.queue = append(s.queue, a)
		s.queued += len(a.raw)
	}
}

// deliver delivers the oldest event in the queue, or returns when that event is due.
func (s *streamBody) deliver() (delivered bool, due time.Time, err error) {
	if len(s.queue) == 0 {
		return false, time.Time{}, nil
	}
	first := s.queue[0]
	var late time.Duration
	for _, effect := range s.acting {
		late = max(late, effect.late())
	}
	if due := first.at.Add(late); time.Now().Before(due) {
		return false, due, nil
	}
	if slices.ContainsFunc(s.acting, func(e effect) bool { return e.breaks(s, first.event) }) {
		if _, err := s.in.Write(first.raw[:len(first.raw)/2]); err != nil {
			return false, time.Time{}, err
		}
		return false, time.Time{}, errHalfEvent
	}
	s.queue, s.queued = s.queue[1:], s.queued-len(first.raw)
	s.sent.note(first.event)
	return true, time.Time{}, s.write(first.raw)
}

func (s *streamBody) write(event json.RawMessage) error {
	if event == nil {
		return nil
	}
	_, err := s.in.Write(append(event, '\n'))
	return err
}

// wait waits until something may be due. It returns false if nobody reads any more.
func (s *streamBody) wait(changed <-chan struct{}, wake time.Time) bool {
	var timeout <-chan time.Time
	if !wake.IsZero() {
		timer := time.NewTimer(time.Until(wake))
		defer timer.Stop()
		timeout = timer.C
	}
	arrivals := s.arrivals
	if s.ended || s.queued >= queueLimit {
		arrivals = nil
	}
	select {
	case a, ok := <-arrivals:
		if ok {
			s.arrive(a)
		}
		s.ended = !ok
	case <-changed:
	case <-timeout:
	case <-s.gone:
		return false
	case <-s.stopped:
		return false
	}
	return true
}

// earlier returns the earlier of two times. The zero time means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
