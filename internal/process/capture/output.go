package capture

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"reconform.dev/reconform/internal/record/sanitize"
)

const (
	// lingering is how long the output is still read after all processes have ended, because
	// another process may have inherited the end of the pipe.
	lingering = time.Second
	// maxLine is how much of a line is shown, in characters.
	maxLine = 1 << 10
)

// Output is the output of one process. It goes to the log of its replica.
type Output struct {
	pipe *os.File
	over chan struct{} // closed when the log is complete

	mu  sync.Mutex
	log *logFile
}

// Open opens the log, to which it appends, and the pipe that the process writes to.
func Open(path string) (*Output, *os.File, error) {
	log, err := openLog(path)
	if err != nil {
		return nil, nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		log.file.Close()
		return nil, nil, fmt.Errorf("making a pipe for the output: %w", err)
	}
	o := &Output{pipe: read, over: make(chan struct{}), log: log}
	go o.follow()
	return o, write, nil
}

// follow reads the output until nobody can write any more.
func (o *Output) follow() {
	defer close(o.over)
	var redactor sanitize.Redactor
	for buffer := make([]byte, 32<<10); ; {
		n, err := o.pipe.Read(buffer)
		o.mu.Lock()
		o.log.add(redactor.Next(buffer[:n]))
		o.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = o.pipe.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log.add(redactor.End())
	_ = o.log.close() // what cannot be written is lost
}

// Finish returns when the log is complete. The processes must be gone.
func (o *Output) Finish() {
	_ = o.pipe.SetReadDeadline(time.Now().Add(lingering)) // it is closed already if there is nothing more
	<-o.over
}

// end returns the last part of the output.
func (o *Output) end() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.log.end(o.log.own))
}

// Tail returns the last lines, at most n, without those of an earlier process in the same
// file. It returns nil if there is no output.
func (o *Output) Tail(n int) []string {
	text := strings.TrimRight(string(o.end()), "\n")
	if text == "" || n <= 0 {
		return nil
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		lines[i] = sanitize.Cut(line, maxLine)
	}
	return lines
}

// EndsInPanic looks for what the Go runtime prints before it exits with status 2, or, if
// GOTRACEBACK=crash says so, ends itself by SIGABRT.
func (o *Output) EndsInPanic() bool {
	said := false
	for line := range bytes.Lines(o.end()) {
		switch {
		case bytes.HasPrefix(line, []byte("panic: ")), bytes.HasPrefix(line, []byte("fatal error: ")):
			said = true
		case said && bytes.HasPrefix(line, []byte("goroutine ")):
			return true
		}
	}
	return false
}
