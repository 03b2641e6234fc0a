package page

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report/logline"
)

// spoken is a line that a replica wrote, and when.
type spoken struct {
	at      time.Time
	replica string
	line    logline.Line
	whole   bool // the log has the time in whole seconds
	undated bool // no line before has a time either
	further bool // it has no time, and belongs to the line before
}

// Limits: the bytes that are read at the end of a replica's log; the lines that are shown
// in all; and the most and the fewest lines of one scenario.
const (
	mostRead      = 256 << 10
	mostLines     = 6000
	mostLinesEach = 400
	leastLines    = 40
)

// speak reads what the subjects of a look wrote during its time. It skips a log that no
// longer exists, or that is not a regular file.
func (l *look) speak(logs fs.FS, files []string, most int) {
	if logs == nil {
		return
	}
	from, to := l.span()
	var all []spoken
	for _, file := range files {
		text, err := endOf(logs, file)
		if err != nil {
			continue
		}
		all = append(all, spokenIn(text, strings.TrimSuffix(path.Base(file), ".log"), from, to)...)
	}
	l.delay(all)
	slices.SortStableFunc(all, func(a, b spoken) int { return a.at.Compare(b.at) })
	if more := len(all) - most; more > 0 {
		first := most / 4 // keep the beginning and the end
		l.unspoken = more
		all = slices.Concat(all[:first], all[len(all)-(most-first):])
	}
	l.spoken = all
}

// delay corrects lines that seem to be older than the process that wrote them: the log has no times,
// or whole seconds, or the start of the process was recorded a moment late. Such a line moves to the start.
// A line that may be of an earlier process stays where it is.
func (l *look) delay(lines []spoken) {
	const late = 200 * time.Millisecond
	for n := range lines {
		line := &lines[n]
		precision := late
		if line.whole {
			precision = time.Second
		}
		for _, e := range l.events {
			if e.Replica != line.replica || e.Time.Before(line.at) {
				continue
			}
			// The first event of the replica after the line: the line is of the process that
			// starts there, or of one that ran before.
			if e.Reason == history.ReplicaStarted && (line.undated || e.Time.Sub(line.at) < precision) {
				line.at = e.Time
			}
			break
		}
	}
}

// endOf returns the end of a file, from the beginning of a line.
func endOf(logs fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(logs, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := logs.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if seeker, ok := file.(io.Seeker); ok && info.Size() > mostRead {
		if _, err := seeker.Seek(-mostRead, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(file, mostRead))
	if info.Size() > mostRead {
		if _, rest, found := bytes.Cut(data, []byte("\n")); found {
			data = rest
		}
	}
	return data, err
}

// spokenIn returns the lines of a log between two times. A line without a time belongs to
// the line before it, like the lines of a stack trace. A line that is repeated is kept
// once.
func spokenIn(text []byte, replica string, from, to time.Time) []spoken {
	const slack = time.Second // for different clocks, and for a start before the first request
	var lines []spoken
	at, known, undated, last := from, true, true, ""
	for raw := range bytes.Lines(text) {
		line := strings.TrimRight(string(raw), "\r\n")
		if line == "" {
			continue
		}
		moment, found := momentOf(line, from)
		if found {
			known = !moment.Before(from.Add(-slack)) && !moment.After(to.Add(slack))
			at, undated = moment, false
		}
		if !known {
			continue
		}
		one := logline.Readable(line)
		one.Time, one.Text = "", withoutMoment(one.Text) // the lane shows when it was written
		if same := one.Level + one.Text; len(lines) > 0 && same == last {
			lines[len(lines)-1].line.Times++
			continue
		} else {
			last = same
		}
		lines = append(lines, spoken{at, replica, one, at.Nanosecond() == 0, undated, !found && !undated})
	}
	return lines
}
