package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// First and last are how much of a replica's log is kept, in bytes: the first part, as it
// is written, and the last part, which is added when a process ends. What a replica writes
// beyond that costs nothing. An ordinary log has less than a tenth of it.
const (
	First = 4 << 20
	last  = 1 << 20
)

// leftOut is written to a log at the place where something was left out.
const leftOut = "\n[reconform left out %d bytes here]\n"

// logFile is the log of a replica: the output of all its processes, one after the other.
type logFile struct {
	file *os.File
	room int64 // in the first part
	// first is how long the first part is when it is full.
	first int64
	// recent is the end of everything that was written. own bytes of it are from this
	// process, and beyond bytes come after the first part. Everything older was dropped.
	recent      []byte
	own, beyond int64
	cut         int64
}

// openLog opens a log that may have output of an earlier process.
func openLog(path string) (_ *logFile, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	l := &logFile{file: file, room: max(0, First-info.Size()), first: First}
	if more := info.Size() - First; more > 0 {
		l.recent = make([]byte, more)
		if _, err := file.ReadAt(l.recent, First); err != nil {
			return nil, fmt.Errorf("reading the log of an earlier process: %w", err)
		}
		if n, _ := fmt.Sscanf(string(l.recent), leftOut, &l.cut); n == 1 {
			l.recent = l.recent[len(fmt.Sprintf(leftOut, l.cut)):]
		}
		l.beyond = int64(len(l.recent))
	}
	return l, nil
}

// add adds what a process wrote. If something cannot be written, the first part ends there: a
// full disk is not the process's fault.
func (l *logFile) add(data []byte) {
	written, err := l.file.Write(data[:min(int64(len(data)), l.room)])
	l.room -= int64(written)
	if err != nil {
		l.first, l.room = l.first-l.room, 0
	}
	l.own += int64(len(data))
	l.beyond += int64(len(data) - written)
	l.recent = append(l.recent, data...)
	if len(l.recent) >= 2*last { // not at each call, because the bytes would be moved at each call
		l.recent = append(l.recent[:0], l.recent[len(l.recent)-last:]...)
	}
}

// close adds the last part.
func (l *logFile) close() error {
	if l.beyond == 0 {
		return l.file.Close()
	}
	end := l.end(l.beyond)
	note := ""
	if l.cut += l.beyond - int64(len(end)); l.cut > 0 {
		note = fmt.Sprintf(leftOut, l.cut)
	}
	err := l.file.Truncate(l.first)
	if err == nil {
		_, err = io.WriteString(l.file, note+string(end))
	}
	return errors.Join(err, l.file.Close())
}

// end returns the last part of the last bytes.
func (l *logFile) end(of int64) []byte {
	return l.recent[max(0, int64(len(l.recent))-min(of, last)):]
}
