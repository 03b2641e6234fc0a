package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// undoneInWords looks at requests that should not have been made. If the process before had
// changed the same fields while it was being stopped, it says so: then the earlier write may
// be the mistake, as nothing about an object changes when a process ends. Otherwise it
// returns "".
func (c *Case) undoneInWords(failure chainsaw.Failure) string {
	if failure.Of.Kind != "Traffic" {
		return ""
	}
	for _, r := range c.countedIn(failure.Message) {
		if before := c.writtenAtEnd(r); len(before) > 0 {
			return fmt.Sprintf("; #%d changed the fields that the process before had changed while it was being stopped (%s)", r.Seq, strings.Join(before, ", "))
		}
	}
	return ""
}

// writtenAtEnd returns the numbers of the writes of the same object that came before this
// one, from a process that was being stopped. It returns none, unless they changed all
// fields that this one changes. Writes that changed none of them are left out.
func (c *Case) writtenAtEnd(r history.Request) []string {
	left, found := slices.Clone(r.Changed), []string(nil)
	for _, other := range slices.Backward(c.Account.Requests) {
		if other.Seq >= r.Seq || !done(other) || !other.IsWrite() ||
			other.GroupResource() != r.GroupResource() || other.Subresource != r.Subresource || other.Name != r.Name {
			continue
		}
		if !c.stoppedIn(&other) {
			break
		}
		if slices.ContainsFunc(r.Changed, func(path string) bool { return slices.Contains(other.Changed, path) }) {
			found = append(found, fmt.Sprintf("#%d", other.Seq))
		}
		left = slices.DeleteFunc(left, func(path string) bool { return slices.Contains(other.Changed, path) })
	}
	if len(left) > 0 {
		return nil
	}
	slices.Reverse(found)
	return found
}

// stoppedIn says whether the replica that made a request was stopped, or told to end, in the
// step in which it made it.
func (c *Case) stoppedIn(r *history.Request) bool {
	for _, e := range c.Account.Events {
		if e.Seq < r.Seq {
			continue
		}
		switch e.Reason {
		case history.StepBegan:
			return false
		case history.ReplicaStopped, history.ReplicaTerminated, history.ReplicaInterrupted:
			if e.Replica == r.Replica {
				return true
			}
		}
	}
	return false
}
