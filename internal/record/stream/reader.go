package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// largestEvent limits the size of one watch event, in bytes. The API server does not store
// objects of that size.
const largestEvent = 16 << 20

// Reader splits the body of a watch into its events.
type Reader struct {
	limited *io.LimitedReader
	decoder *json.Decoder
	err     error
}

// NewReader reads the events of body. It reads ahead.
func NewReader(body io.Reader) *Reader {
	limited := &io.LimitedReader{R: body}
	return &Reader{limited: limited, decoder: json.NewDecoder(limited)}
}

// Next returns the next event as it was sent, without the space around it. It returns
// io.EOF at the end of the body. An event that is cut short, that is not a JSON object or
// that is larger than largestEvent is an error. No event follows after an error.
func (r *Reader) Next() (json.RawMessage, error) {
	if r.err != nil {
		return nil, r.err
	}
	event, err := r.next()
	if err != nil {
		r.err = err
		return nil, err
	}
	return event, nil
}

// Unfinished returns what was read of an event that is cut short. It is for use after Next
// has returned an error.
func (r *Reader) Unfinished() io.Reader { return r.decoder.Buffered() }

func (r *Reader) next() (event json.RawMessage, err error) {
	r.limited.N = largestEvent
	switch err := r.decoder.Decode(&event); {
	case r.limited.N <= 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return nil, fmt.Errorf("reading a watch: an event is larger than %d bytes", largestEvent)
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, fmt.Errorf("reading a watch: %w", err)
	case event[0] != '{':
		return nil, fmt.Errorf("reading a watch: %.20q is not an event", event)
	default:
		return event, nil
	}
}
