package verdict

import (
	"fmt"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestUndone: a forbidden write may undo what the earlier process wrote while it was
// being stopped. Only then does the reason say so.
func TestUndone(t *testing.T) {
	status := func(replica string, changed ...string) history.Request {
		return history.Request{
			Subject: subjectName, Scenario: inNamespace, Replica: replica, Verb: history.VerbUpdate, Group: "apps.kubedojo.io", Resource: "webapps",
			Subresource: "status", Name: "demo", Code: 200, Effect: history.EffectEffective, Changed: changed,
		}
	}
	event := func(reason, what string) history.Event {
		if reason == history.StepBegan {
			return history.Event{Reason: reason, Message: what}
		}
		return history.Event{Reason: reason, Replica: what}
	}
	stop, stopped := event(history.StepBegan, "When the controller is stopped"), event(history.ReplicaStopped, "subject-0")
	again := event(history.StepBegan, "When it is started again")
	ready := []string{"status.conditions[0].reason", "status.conditions[0].status"}
	for name, tc := range map[string]struct {
		happened []any
		want     string
	}{
		"by the next start": {
			[]any{stop, status("subject-0", ready...), stopped, again, status("subject-0", ready...)},
			"; #5 changed the fields that the process before had changed while it was being stopped (#2)",
		},
		"by another replica": {
			[]any{stop, status("subject-1", ready...), event(history.ReplicaTerminated, "subject-1"), again, status("subject-0", ready...)},
			"; #5 changed the fields that the process before had changed while it was being stopped (#2)",
		},
		"twice, and then less": {
			[]any{stop, status("subject-0", ready...), status("subject-0", ready[0]), stopped, again, status("subject-0", ready...)},
			"; #6 changed the fields that the process before had changed while it was being stopped (#2, #3)",
		},
		"twice, one field each": {
			[]any{stop, status("subject-0", ready[1]), status("subject-0", ready[0]), stopped, again, status("subject-0", ready...)},
			"; #6 changed the fields that the process before had changed while it was being stopped (#2, #3)",
		},
		"and something else after it": {
			[]any{stop, status("subject-0", ready...), status("subject-0", "status.url"), stopped, again, status("subject-0", ready...)},
			"; #6 changed the fields that the process before had changed while it was being stopped (#2)",
		},
		"one field of two":           {[]any{stop, status("subject-0", ready[0]), stopped, again, status("subject-0", ready...)}, ""},
		"other fields":               {[]any{stop, status("subject-0", "status.url"), stopped, again, status("subject-0", ready...)}, ""},
		"written long before":        {[]any{status("subject-0", ready...), stop, stopped, again, status("subject-0", ready...)}, ""},
		"written twice since":        {[]any{stop, status("subject-0", ready...), stopped, again, status("subject-0", "status.url"), status("subject-0", ready...)}, ""},
		"another one was stopped":    {[]any{stop, status("subject-0", ready...), event(history.ReplicaTerminated, "subject-1"), again, status("subject-0", ready...)}, ""},
		"a start that writes anyway": {[]any{stop, stopped, again, status("subject-0", ready...)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Contract: contract(t), TimeoutScale: 1, Account: accountOf(inNamespace, tc.happened)}
			message := fmt.Sprintf(
				"Traffic writes is not as expected: expected no effective writes, found 1 in 3s: #%d update webapps/status demo (effective)",
				c.Account.Requests[len(c.Account.Requests)-1].Seq)
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
				Step: "Then no write has changed anything", Message: message, Of: chainsaw.Measured{Kind: "Traffic"},
			}}}
			reason := Judge(c).Reason
			if _, got, _ := strings.Cut(reason, "(effective)"); got != tc.want {
				t.Errorf("the reason ends with %q, want %q (all of it: %s)", got, tc.want, reason)
			}
		})
	}
}
