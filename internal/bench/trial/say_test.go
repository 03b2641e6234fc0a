package trial

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSayAfter: the status of a Trial says what it is doing if that takes a while.
func TestSayAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &run{}
		for _, step := range []struct {
			doing string
			long  time.Duration
			want  string
		}{
			{"waiting", sayAfter - time.Millisecond, ""},
			{"waiting", time.Millisecond, "waiting"},
			{"creating", sayAfter / 2, "waiting"},
			{"comparing", sayAfter / 2, "waiting"},
			{"comparing", sayAfter / 2, "comparing"},
		} {
			r.say(step.doing)
			time.Sleep(step.long)
			if got := r.status().Message; got != step.want {
				t.Errorf("after %s of %s: %q, want %q", step.long, step.doing, got, step.want)
			}
		}
	})
}
