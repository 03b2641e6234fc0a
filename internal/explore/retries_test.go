package explore

import (
	"strings"
	"testing"
	"time"
)

func TestLongestPause(t *testing.T) {
	const ms = time.Millisecond
	for name, tc := range map[string]struct {
		pauses []time.Duration
		want   time.Duration
		why    string
	}{
		"they grow":           {[]time.Duration{210 * ms, 410 * ms, 820 * ms, 1620 * ms}, 0, "and grew"},
		"always a second":     {[]time.Duration{1010 * ms, 1020 * ms, 1010 * ms}, 2 * time.Second, "twice the last"},
		"grew up to two":      {[]time.Duration{500 * ms, 1000 * ms, 2000 * ms, 2010 * ms}, 4 * time.Second, "twice the last"},
		"one wakes the next":  {[]time.Duration{280 * ms, 310 * ms, 300 * ms, 280 * ms}, 0, "wake the next"},
		"two show nothing":    {[]time.Duration{1000 * ms, 1000 * ms}, 0, ""},
		"nothing was refused": {nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := longestPause(tc.pauses)
			if got != tc.want || !strings.Contains(why, tc.why) {
				t.Errorf("got %s, %q; want %s, %q", got, why, tc.want, tc.why)
			}
		})
	}
}
