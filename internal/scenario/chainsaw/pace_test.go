package chainsaw

import (
	"testing"
	"time"
)

func TestPaceSpacesIdenticalReads(t *testing.T) {
	transport := &pacedTransport{interval: 100 * time.Millisecond, last: map[string]time.Time{}}
	start := time.Now()
	for i, tc := range []struct {
		key  string
		at   time.Duration
		want time.Duration
	}{
		{"a", 0, 0},
		{"a", 10 * time.Millisecond, 90 * time.Millisecond},
		{"b", 10 * time.Millisecond, 0},
		{"a", 20 * time.Millisecond, 180 * time.Millisecond},
		{"a", time.Second, 0},
	} {
		if got := transport.reserve(tc.key, start.Add(tc.at)); got != tc.want {
			t.Errorf("read %d of %s waits %s, want %s", i, tc.key, got, tc.want)
		}
	}
}
