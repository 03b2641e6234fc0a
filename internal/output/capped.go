package output

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"reconform.dev/reconform/internal/harmless"
)

// Capped is a log of the bench's own, to which a run adds. Beyond its limit it takes
// nothing more: what a subject makes may be quoted in it.
type Capped struct {
	mu    sync.Mutex
	file  *os.File
	limit int64
	room  int64
	// redactor leaves out what is secret of what is quoted.
	redactor harmless.Redactor
}

// MaxOwn is the limit of a log of the bench's own, in bytes. That of a whole run has less
// than a tenth of it.
const MaxOwn = 64 << 20

const limitReached = "\n[the log has %d bytes: what came after this was left out]\n"

// OpenCapped opens such a log. It may have something in it.
func OpenCapped(path string, limit int64) (*Capped, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Capped{file: file, limit: limit, room: limit - info.Size()}, nil
}

// Write what there is room for. All of it counts as written: that a log is full is no
// reason for its writer to stop.
func (c *Capped) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.keep(c.redactor.Next(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// keep what there is room for. The lock is held.
func (c *Capped) keep(data []byte) error {
	if c.room <= 0 {
		return nil
	}
	kept := data[:min(int64(len(data)), c.room)]
	c.room -= int64(len(kept))
	if _, err := c.file.Write(kept); err != nil {
		return err
	}
	if c.room == 0 {
		if _, err := fmt.Fprintf(c.file, limitReached, c.limit); err != nil {
			return err
		}
	}
	return nil
}

// Close the log.
func (c *Capped) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.keep(c.redactor.End()), c.file.Close())
}
