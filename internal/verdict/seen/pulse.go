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
	var turns []time.Time
	for _, update := range updates[len(updates)-least:] {
		turns = append(turns, update.Time)
	}
	shortest, longest, alike := Pauses(turns)
	return longest.Round(time.Second), shortest >= shortestPulse && alike
}

// Pauses returns the shortest and the longest pause between turns, of which there must be at least
// two, and whether all pauses are alike: they differ by a fifth at most.
func Pauses(turns []time.Time) (shortest, longest time.Duration, alike bool) {
	var pauses []time.Duration
	for n := 1; n < len(turns); n++ {
		pauses = append(pauses, turns[n].Sub(turns[n-1]))
	}
	shortest, longest = slices.Min(pauses), slices.Max(pauses)
	return shortest, longest, longest-shortest <= longest/5
}
