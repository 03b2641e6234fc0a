package verdict

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// subjectName is the name of the Subject in every scenario.
const subjectName = "subject"

// subjectEvents says whether a Subject was started in a scenario. It also says how the
// last replica ended, of those that ended by themselves.
func subjectEvents(events []history.Event) (started bool, crash string) {
	for _, event := range events {
		switch event.Reason {
		case history.SubjectStarted:
			started = true
		case history.ReplicaCrashed, history.ReplicaStartFailed:
			crash = event.Replica + ": " + event.Message
		}
	}
	return started, crash
}

// lost names a replica that was killed although nobody had ordered it. What that replica
// has not done says nothing about it. lost returns "" if there was none.
func lost(events []history.Event) string {
	for _, event := range events {
		switch event.Reason {
		case history.ReplicaLost:
			return event.Replica + " was killed, and not by the bench (does the machine lack memory?): " + event.Message
		case history.ReplicaOverLimit:
			return event.Replica + " went over a limit: " + event.Message
		}
	}
	return ""
}

// elects says whether replicas compete for the Lease in a scenario.
func elects(events []history.Event) bool {
	return slices.ContainsFunc(events, func(event history.Event) bool { return event.Election })
}

// exempted says what the scenario would have found without the profile's exemptions: in
// its measurements, or by a rule that it is the home of.
func (c *Case) exempted() []string {
	var found []string
	for _, event := range c.Account.Events {
		if event.Reason == history.Exempted {
			found = append(found, event.Object+": "+event.Message)
		}
	}
	return append(found, c.atHome(func(v1alpha1.Exemption) bool { return true })...)
}

// declared returns the violations of the rules that the scenario is the home of, if the
// profile exempts requests from these rules by name. What the steps find is then declared
// too.
func (c *Case) declared() []string {
	return c.atHome(func(e v1alpha1.Exemption) bool {
		return slices.ContainsFunc(e.Invariants, func(rule string) bool { return slices.Contains(c.Requirement.Judges, rule) })
	})
}

// atHome returns the violations of the rules that the scenario is the home of. It does not
// apply the exemptions that without selects.
func (c *Case) atHome(without func(v1alpha1.Exemption) bool) []string {
	if len(c.Requirement.Judges) == 0 || !slices.ContainsFunc(c.Contract.Exempt, without) {
		return nil
	}
	strict := *c
	strict.Contract.Exempt = slices.DeleteFunc(slices.Clone(c.Contract.Exempt), without)
	var found []string
	for _, violation := range strict.violations() {
		if slices.Contains(c.Requirement.Judges, violation.Rule) {
			found = append(found, violation.Rule+": "+violation.Message)
		}
	}
	return found
}

// violations returns the violations of what must never happen, except those that the
// scenario provokes.
func (c *Case) violations() []v1alpha1.Violation {
	found := invariant.Check(invariant.NewView(c.Contract, c.Account))
	return slices.DeleteFunc(found, func(violation v1alpha1.Violation) bool {
		return slices.Contains(c.Requirement.Provokes, violation.Rule)
	})
}
