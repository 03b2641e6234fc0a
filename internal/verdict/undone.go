package verdict

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// undoneInWords says which of the writes that must not have been made changed the same
// fields as a write of the process before, while that one was being stopped. Then the
// earlier write may be the mistake: the end of a process is no news for an object. It
// returns "" if there is none.
func (c *Case) undoneInWords(failure chainsaw.Failure) string {
	if failure.Of.Kind != "Traffic" {
		return ""
	}
	for _, r := range c.countedIn(failure.Message) {
		if before := c.writtenAtEnd(r); before != nil {
			return fmt.Sprintf("; #%d changed the same fields as the process before, while that was being stopped (#%d)", r.Seq, before.Seq)
		}
	}
	return ""
}

// writtenAtEnd returns the write before this one, of the same fields of the same object,
// if a process that was being stopped made it. It returns nil if there is none.
func (c *Case) writtenAtEnd(r history.Request) *history.Request {
	var before *history.Request
	for n := range c.Account.Requests {
		other := &c.Account.Requests[n]
		if other.Seq >= r.Seq {
			break
		}
		if done(*other) && other.IsWrite() && other.GroupResource() == r.GroupResource() && other.Subresource == r.Subresource && other.Name == r.Name {
			before = other
		}
	}
	if before == nil || len(r.Changed) == 0 || !slices.Equal(before.Changed, r.Changed) || !c.stoppedIn(before) {
		return nil
	}
	return before
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
