package history

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// mostWritten is how large the file may become, in bytes. A complete run writes a tenth of
// that.
const mostWritten = 256 << 20

// journal writes lines of JSON until a write fails or the file is full.
type journal struct {
	failed func(error)
	most   int64 // bytes

	mu      sync.Mutex
	w       io.Writer // nil: nothing more is written
	written int64
	leftOut int // lines
	err     error
}

// write writes one line: a Request or an Event. The field type tells them apart.
func (j *journal) write(entry any) {
	line, err := encode(entry)

	j.mu.Lock()
	if j.w == nil {
		j.mu.Unlock()
		return
	}
	if j.leftOut > 0 || j.written+int64(len(line)) > j.most {
		j.leftOut++
		j.mu.Unlock()
		return
	}
	j.written += int64(len(line))
	if err == nil {
		_, err = j.w.Write(line)
	}
	if err == nil {
		j.mu.Unlock()
		return
	}
	// The line may be incomplete, so no line after it could be read.
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
		}{"request", entry.bounded()})
	case Event:
		line, err = json.Marshal(struct {
			Type string `json:"type"`
			Event
		}{"event", entry.bounded()})
	default:
		return nil, fmt.Errorf("no such line: %T", entry)
	}
	return append(line, '\n'), err
}

// close ends the journal. It writes how much was left out.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w != nil && j.leftOut > 0 {
		line, err := encode(Event{
			Time: time.Now(), Reason: HistoryCut,
			Message: fmt.Sprintf("this file has %d MB; %d lines were left out", j.written>>20, j.leftOut),
		})
		if err == nil {
			_, err = j.w.Write(line)
		}
		if err != nil {
			j.err = fmt.Errorf("writing the history: %w", err)
		}
	}
	j.w = nil
	return j.err
}
