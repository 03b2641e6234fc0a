package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// mostLine is how long a line of a copied file may be, in bytes.
const mostLine = 4 << 20

// Copy writes the lines of another run's file. It adds the number of the part to each
// line, because each run numbers its requests and events from one. It leaves out broken
// lines, such as the last line of a run that was killed, and says so in an event at the
// end.
func Copy(to io.Writer, part int, from io.Reader) error {
	lines := bufio.NewReaderSize(io.LimitReader(from, mostWritten+mostLine), mostLine)
	leftOut := 0
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("reading the history: %w", err)
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case !bytes.HasPrefix(line, []byte(`{"`)) || !json.Valid(line):
			leftOut++
		default:
			if _, err := fmt.Fprintf(to, "{\"part\":%d,%s\n", part, line[1:]); err != nil {
				return fmt.Errorf("writing the history: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if leftOut == 0 {
		return nil
	}
	line, err := encode(Event{
		Time: time.Now(), Reason: HistoryCut, Message: fmt.Sprintf("%d lines could not be read, and were left out", leftOut),
	})
	if err != nil {
		return fmt.Errorf("encoding the history: %w", err)
	}
	return Copy(to, part, bytes.NewReader(line))
}
