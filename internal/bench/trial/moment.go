package trial

import (
	"slices"
	"time"
)

// moment is a moment of a Trial; the zero one never came.
type moment struct {
	at  time.Time
	seq int64 // the last record before it
}

func (r *run) now() moment { return moment{time.Now(), r.Recorder.LastSeq()} }

// isBefore says whether a moment came before a record.
func (m moment) isBefore(seq int64) bool { return !m.at.IsZero() && m.seq < seq }

// hasCome says whether a moment had come at a time.
func (m moment) hasCome(at time.Time) bool { return !m.at.IsZero() && !at.Before(m.at) }

// until returns the versions that were seen before a moment.
func (m moment) until(versions []version) []version {
	if at := slices.IndexFunc(versions, func(v version) bool { return m.hasCome(v.seen) }); at >= 0 {
		return versions[:at]
	}
	return versions
}
