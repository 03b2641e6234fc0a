package capture

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"reconform.dev/reconform/internal/record/sanitize"
)

// Capped is a log of the bench itself, to which a run appends. When its limit is reached,
// it writes no more, because it may quote what a subject makes.
type Capped struct {
	mu    sync.Mutex
	file  *os.File
	limit int64
	room  int64
	// redactor leaves out secrets in quoted text.
	redactor sanitize.Redactor
}

// MaxOwn is the limit of a log of the bench itself, in bytes. A whole run needs less than a
// tenth of it.
const MaxOwn = 64 << 20

const limitReached = "\n[the log has %d bytes: what came after this was left out]\n"

// OpenCapped opens such a log, which may have content already.
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

// Write writes as much as there is room for. All data counts as written, so that the
// writer goes on with a full log.
func (c *Capped) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.keep(c.redactor.Next(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// keep writes as much as there is room for. The caller holds the lock.
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

// Close closes the log.
func (c *Capped) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.keep(c.redactor.End()), c.file.Close())
}
