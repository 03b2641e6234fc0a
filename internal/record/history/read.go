package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Entry is a line of a file: a request or an event.
type Entry struct {
	// Part of a merged run that it comes from, counted from 1. It is 0 in the file of a
	// single run.
	Part int
	// Request, or nil.
	Request *Request
	// Event, or nil.
	Event *Event
}

// line has the fields of requests and events, so that each line is parsed only once.
type line struct {
	Type string `json:"type"`
	Part int    `json:"part"`
	Request
	Object   string          `json:"object"`
	Election bool            `json:"election"`
	Optional bool            `json:"optional"`
	Took     metav1.Duration `json:"took"`
}

// Read reads the lines of a file, one by one. The error names the line that cannot be
// read.
func Read(from io.Reader, each func(Entry)) error {
	lines := bufio.NewReaderSize(from, mostLine)
	for number := 1; ; number++ {
		text, err := lines.ReadSlice('\n')
		end := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d is longer than %d MB", number, mostLine>>20)
		case err != nil && !end:
			return fmt.Errorf("reading line %d: %w", number, err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			entry, err := parse(text)
			if err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			each(entry)
		}
		if end {
			return nil
		}
	}
}

func parse(text []byte) (Entry, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Entry{}, fmt.Errorf("neither a request nor an event: %w", err)
	}
	switch l.Type {
	case "request":
		return Entry{Part: l.Part, Request: &l.Request}, nil
	case "event":
		return Entry{Part: l.Part, Event: &Event{
			Seq: l.Seq, Time: l.Time, Scenario: l.Scenario, Subject: l.Subject, Replica: l.Replica,
			Object: l.Object, Reason: l.Reason, Message: l.Message, Election: l.Election, Optional: l.Optional, Took: l.Took,
		}}, nil
	default:
		return Entry{}, fmt.Errorf("neither a request nor an event: its type is %.40q", l.Type)
	}
}
