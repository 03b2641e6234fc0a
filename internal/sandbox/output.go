//go:build unix

package sandbox

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// tailBytes is how much of the end of an output is looked at.
const tailBytes = 1 << 20

// output is what one process has written to a log that others write to as well,
// one after the other.
type output struct {
	path  string
	start int64
}

func outputFrom(log *os.File) output {
	o := output{path: log.Name()}
	if info, err := log.Stat(); err == nil {
		o.start = info.Size()
	}
	return o
}

// end is the last part of the output, empty where it cannot be read.
func (o output) end() []byte {
	file, err := os.Open(o.path)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	from := max(o.start, info.Size()-tailBytes)
	data, err := io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
	if err != nil {
		return nil
	}
	return data
}

func (o output) tail(n int) []string {
	text := strings.TrimRight(string(o.end()), "\n")
	if text == "" || n <= 0 {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):]
}

// endsInPanic looks for what the Go runtime prints before it exits with status 2.
func (o output) endsInPanic() bool {
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
