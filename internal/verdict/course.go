package verdict

import (
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
)

// failedAt returns the number at which the first step failed, or 0 if none failed.
func (c *Case) failedAt() int64 {
	if e := c.failure(); e != nil {
		return e.Seq
	}
	return 0
}

// failure returns the event that the first step failed, or nil if none failed.
func (c *Case) failure() *history.Event {
	for n := range c.Account.Events {
		if e := &c.Account.Events[n]; e.Reason == history.StepFailed {
			return e
		}
	}
	return nil
}

// occasion returns the number at which the scenario last began to do something before a step
// failed: the number of the first of the last Given and When steps in a row.
func (c *Case) occasion() int64 { return c.occasionOf(c.failedAt()) }

// occasionOf returns the same for what happened at a number, or at the end if that is 0.
func (c *Case) occasionOf(until int64) int64 {
	var at int64
	judging := true
	for _, e := range c.Account.Events {
		if e.Reason == history.StepFailed || until != 0 && e.Seq >= until {
			break
		}
		if e.Reason != history.StepBegan {
			continue
		}
		if prepares(e.Message) && judging {
			at = e.Seq
		}
		judging = !prepares(e.Message)
	}
	return at
}

// lastChange returns the event that began the last step, before a step failed, in which the
// scenario itself wrote something. If that is not known, it is the step that [Case.occasion] is
// about. It returns nil if there is none.
func (c *Case) lastChange() *history.Event {
	var step, last *history.Event
	occasion := c.occasion()
	for n := range c.Account.Events {
		e := &c.Account.Events[n]
		if e.Reason == history.StepFailed {
			break
		}
		if e.Reason == history.StepBegan {
			step = e
		}
		wrote := e.Reason == history.ScenarioActed && step != nil && prepares(step.Message)
		if e.Seq == occasion || wrote && step.Seq > occasion && occasion != 0 {
			last = step
		}
	}
	return last
}

// lastAct returns the number at which the last Given or When step began before a step
// failed.
func (c *Case) lastAct() int64 {
	var at int64
	for _, e := range c.Account.Events {
		if e.Reason == history.StepFailed {
			break
		}
		if e.Reason == history.StepBegan && prepares(e.Message) {
			at = e.Seq
		}
	}
	return at
}

// lastWritten returns the number at which the scenario itself last wrote something before a step
// failed, or 0.
func (c *Case) lastWritten() int64 {
	var at int64
	for _, e := range c.Account.Events {
		switch e.Reason {
		case history.StepFailed:
			return at
		case history.ScenarioActed:
			at = e.Seq
		}
	}
	return at
}

// prepares tells whether a step of this name does something, and judges nothing.
func prepares(step string) bool {
	return strings.HasPrefix(step, "When ") || strings.HasPrefix(step, "Given ")
}

// endedSince says whether a process ended by itself after a request. Then that may be why
// nothing followed.
func (c *Case) endedSince(seq int64) bool {
	return slices.ContainsFunc(c.Account.Events, func(e history.Event) bool { return e.Reason == history.ReplicaCrashed && e.Seq > seq })
}

// deletedBefore says whether the scenario itself deleted an object before the step failed. For a
// Pod, the deletion of any object counts, because the Pod may belong to it.
func (c *Case) deletedBefore(w wrong) bool {
	until := c.failedAt()
	return slices.ContainsFunc(c.Account.Events, func(e history.Event) bool {
		return e.Reason == history.ScenarioActed && (until == 0 || e.Seq < until) &&
			(w.resource == "pods" || strings.Contains(e.Message, w.name)) &&
			(strings.HasPrefix(e.Message, "delete ") || strings.HasPrefix(e.Message, "kubectl delete "))
	})
}
