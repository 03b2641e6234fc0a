package play

import (
	"testing"
	"time"
)

// TestCompared: pauses that grow are told from those that do not, though a busy machine
// adds to some, and news of the status cuts the first short.
func TestCompared(t *testing.T) {
	const ms = time.Millisecond
	for name, tc := range map[string]struct {
		pauses []time.Duration
		grow   bool
	}{
		"doubled":                   {[]time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms}, true},
		"doubled, cut short":        {[]time.Duration{10 * ms, 90 * ms, 400 * ms, 800 * ms, 1600 * ms}, true},
		"doubled from 5 ms":         {[]time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1280 * ms}, true},
		"longer by 100 ms each":     {[]time.Duration{100 * ms, 200 * ms, 300 * ms, 400 * ms, 500 * ms, 600 * ms}, true},
		"doubled, with jitter":      {[]time.Duration{150 * ms, 210 * ms, 790 * ms, 820 * ms, 1700 * ms}, true},
		"constant, cut short":       {[]time.Duration{10 * ms, 990 * ms, 1000 * ms, 1010 * ms, 1000 * ms}, false},
		"constant, on a busy one":   {[]time.Duration{100 * ms, 110 * ms, 100 * ms, 190 * ms, 100 * ms, 100 * ms, 190 * ms, 100 * ms, 190 * ms}, false},
		"constant, the last hardly": {[]time.Duration{1000 * ms, 1000 * ms, 1000 * ms, 1000 * ms, 1090 * ms}, false},
		"at once, each time":        {[]time.Duration{3 * ms, 4 * ms, 3 * ms, 5 * ms, 3 * ms, 4 * ms, 3 * ms, 4 * ms}, false},
	} {
		t.Run(name, func(t *testing.T) {
			first, last := compared(tc.pauses)
			if got := float64(last) >= growth*float64(first); got != tc.grow {
				t.Errorf("first %s, last %s: they grow is %t", first, last, got)
			}
		})
	}
}

func TestInWords(t *testing.T) {
	var pauses []time.Duration
	for n := range 12 {
		pauses = append(pauses, time.Duration(n+1)*100*time.Millisecond)
	}
	for many, want := range map[int]string{3: "100ms, 200ms, 300ms", 12: "100ms, 200ms, 300ms, 400ms, …, 900ms, 1s, 1.1s, 1.2s"} {
		if got := inWords(pauses[:many]); got != want {
			t.Errorf("%d pauses are %q, want %q", many, got, want)
		}
	}
}

// TestAsked: what nobody asks for is left out, unless something later relies on it.
func TestAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		play  string
		asked map[string]bool
		want  int
	}{
		"all":                {"rest", map[string]bool{"rest/looks": true, "rest/restarts": true, "rest/reads": true}, 3},
		"the last":           {"rest", map[string]bool{"rest/reads": true}, 2},
		"the first":          {"rest", map[string]bool{"rest/looks": true}, 1},
		"what relies on all": {"queue", map[string]bool{"queue/tombstone": true}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plays()[tc.play].asked(func(id string) bool { return tc.asked[id] }); len(got) != tc.want {
				t.Errorf("%d rules, want %d", len(got), tc.want)
			}
		})
	}
}
