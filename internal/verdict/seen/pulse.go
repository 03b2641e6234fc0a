package seen

import (
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

const (
	// leastOfPulse is how many updates show a clock. One less is enough if nothing but times
	// differ, as no other work leads to such an update.
	leastOfPulse = 3
	// shortestPulse is the shortest pause that counts as one of a clock. Shorter ones may come from
	// one piece of work.
	shortestPulse = 5 * time.Second
)

// Beat is what a heartbeat changes each time: the same fields of one object.
type Beat struct{ Resource, Subresource, Name, Fields string }

// BeatOf returns what an update changes.
func BeatOf(update history.Request) Beat {
	return Beat{update.GroupResource().String(), update.Subresource, update.Name, strings.Join(update.Changed, ", ")}
}

// Pulse returns the pause between the last updates of one [Beat], if there are enough
// of them, and all these pauses are alike: a heartbeat.
func Pulse(updates []history.Request) (every time.Duration, regular bool) {
	least := leastOfPulse
	if n := len(updates); n > 0 && updates[n-1].OnlyTimes {
		least--
	}
	if len(updates) < least {
		return 0, false
	}
	last := updates[len(updates)-least:]
	var pauses []time.Duration
	for n := 1; n < len(last); n++ {
		pauses = append(pauses, last[n].Time.Sub(last[n-1].Time))
	}
	shortest, longest := slices.Min(pauses), slices.Max(pauses)
	return longest.Round(time.Second), shortest >= shortestPulse && longest-shortest <= longest/5
}
