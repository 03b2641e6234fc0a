package verdict

import (
	"fmt"
	"maps"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/invariant"
)

// subjectName is what every scenario calls its Subject.
const subjectName = "subject"

// subjectEvents says whether a Subject was started in a scenario, and how
// the last replica that ended by itself did.
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

// violations of what must never happen, those aside that the scenario provokes.
func (c *Case) violations() []v1alpha1.Violation {
	found := invariant.Check(invariant.NewRecord(c.Contract, c.Account))
	return slices.DeleteFunc(found, func(violation v1alpha1.Violation) bool {
		return slices.Contains(c.Requirement.Provokes, violation.Rule)
	})
}

// barred names a write of a cluster-scoped object that the bench refused: the controller
// has the right to it, and may need it for all else. Empty where there was none.
func barred(requests []history.Request) string {
	for _, request := range requests {
		if request.Note == history.NoteClusterScoped {
			return fmt.Sprintf("#%d %s %s: %s", request.Seq, request.Verb, request.Path, request.Note)
		}
	}
	return ""
}

// unfired are the Faults that had to fire and did not, deleted ones included, and
// the Disruptions that could not be carried out, in the words of a reason.
func unfired(events []history.Event) []string {
	var found []string
	armed := map[string]bool{}
	for _, event := range events {
		switch event.Reason {
		case history.FaultArmed:
			if armed[event.Object] {
				found = append(found, event.Object+" never fired")
			}
			armed[event.Object] = !event.Optional
		case history.FaultFired:
			delete(armed, event.Object)
		case history.FaultInvalid, history.DisruptionFailed:
			if !event.Optional {
				found = append(found, event.Object+" could not be carried out: "+event.Message)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(armed)) {
		if armed[name] {
			found = append(found, name+" never fired")
		}
	}
	return found
}
