package history

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// journal writes lines of JSON until writing fails.
type journal struct {
	failed func(error)

	mu  sync.Mutex
	w   io.Writer // nil: no more writing
	err error
}

// write one line: a Request or an Event, told apart by the field type.
func (j *journal) write(entry any) {
	line, err := encode(entry)

	j.mu.Lock()
	if j.w == nil {
		j.mu.Unlock()
		return
	}
	if err == nil {
		_, err = j.w.Write(line)
	}
	if err == nil {
		j.mu.Unlock()
		return
	}
	// The line may be cut short. No line after it could be read.
	j.w = nil
	j.err = fmt.Errorf("writing the history: %w", err)
	err = j.err
	j.mu.Unlock()

	if j.failed != nil {
		j.failed(err)
	}
}

func encode(entry any) ([]byte, error) {
	var line []byte
	var err error
	switch entry := entry.(type) {
	case Request:
		line, err = json.Marshal(struct {
			Type string `json:"type"`
			Request
		}{"request", entry})
	case Event:
		line, err = json.Marshal(struct {
			Type string `json:"type"`
			Event
		}{"event", entry})
	default:
		return nil, fmt.Errorf("no such line: %T", entry)
	}
	return append(line, '\n'), err
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.w = nil
	return j.err
}
