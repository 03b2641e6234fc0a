package infer

import (
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
)

// Crashes returns the events of processes that ended, and that nobody had told to end.
func Crashes(account history.Account) []history.Event {
	return slices.DeleteFunc(slices.Clone(account.Events), func(e history.Event) bool { return e.Reason != history.ReplicaCrashed })
}

// doubtCrashes says that the process ended by itself, and during which deed it did so first.
func (f *finder) doubtCrashes() {
	crashes := Crashes(f.Account)
	if len(crashes) == 0 {
		return
	}
	first, when := crashes[0], "while init looked"
	for _, act := range f.Acts {
		if act.AfterSeq < first.Seq && first.Seq <= act.UntilSeq {
			when = strings.TrimSpace("during: " + string(act.Deed) + " " + act.Object)
		}
	}
	f.doubt("launch.command", "the process ended by itself, %s, first %s: %s. It did nothing until it was started again, so what is said here of that time may be wrong. "+
		"Requirements fail in which it ends (Crashed): find out why it does", times(len(crashes)), when, first.Message)
}
