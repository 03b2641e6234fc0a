package infer

import (
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestDoubtCrashes: a process that ended by itself is told, with the deed during which it did so
// first. One that was told to end is not.
func TestDoubtCrashes(t *testing.T) {
	crashed := func(seq int64) history.Event {
		return history.Event{Seq: seq, Reason: history.ReplicaCrashed, Message: "exited with status 2"}
	}
	for name, tc := range map[string]struct {
		events []history.Event
		want   string
	}{
		"it went on":     {[]history.Event{{Seq: 11, Reason: history.ReplicaTerminated}, {Seq: 11, Reason: history.ReplicaStopped}}, ""},
		"twice":          {[]history.Event{crashed(11), crashed(12)}, "the process ended by itself, twice, first during: change shop: exited with status 2"},
		"outside a deed": {[]history.Event{crashed(99)}, "the process ended by itself, once, first while init looked: exited with status 2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := storyWithoutEffect(t, "{}")
			r.Account.Events = append(r.Account.Events, tc.events...)
			f := &finder{Record: r}
			f.doubtCrashes()
			var got []string
			for _, doubt := range f.Doubts {
				got = append(got, doubt.Text)
			}
			if told := strings.Join(got, "\n"); !strings.HasPrefix(told, tc.want) || tc.want == "" && told != "" {
				t.Errorf("it says %q, want %q", told, tc.want)
			}
		})
	}
}
