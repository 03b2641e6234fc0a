package subject

import (
	"testing"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

func TestLedBy(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(1000+seconds), 0) }
	lease := func(seconds int, replica, holder string) history.Request {
		return history.Request{Time: at(seconds), Replica: replica, Holder: holder}
	}
	changed := []history.Request{lease(1, "one", "a"), lease(3, "one", "a"), lease(20, "two", "b"), lease(22, "two", "b")}
	for name, tc := range map[string]struct {
		leases  []history.Request
		replica string
		seconds int
		want    bool
	}{
		"before it held it":                 {changed, "one", 0, false},
		"while it holds it":                 {changed, "one", 4, true},
		"nobody has taken it since":         {changed, "one", 19, true},
		"just after it has lost it":         {changed, "one", 25, true},
		"long after it has lost it":         {changed, "one", 40, false},
		"the other, before it took it":      {changed, "two", 19, false},
		"the other, since":                  {changed, "two", 40, true},
		"one that never took it":            {changed, "three", 21, false},
		"it has given it back":              {[]history.Request{lease(1, "one", "a"), lease(2, "one", "")}, "one", 3, false},
		"it renews the Lease of the other":  {append(changed, lease(24, "one", "b")), "one", 40, false},
		"and the other still leads":         {append(changed, lease(24, "one", "b")), "two", 40, true},
		"both have one name, and the other": {[]history.Request{lease(1, "one", "a"), lease(2, "two", "a")}, "two", 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			led := ledBy(tc.leases, 13*time.Second)
			if got := led(history.Request{Time: at(tc.seconds), Replica: tc.replica}); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
