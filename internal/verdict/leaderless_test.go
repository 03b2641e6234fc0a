package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

func TestLeaderless(t *testing.T) {
	started := history.Event{Reason: history.SubjectStarted, Election: true}
	ended := func(replica, reason string) history.Event { return history.Event{Replica: replica, Reason: reason} }
	lease := func(replica string, code int) history.Request {
		return history.Request{
			Replica: replica, Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases", Code: code, Finished: true, ResourceVersion: "7",
		}
	}
	failed := history.Event{Reason: history.StepFailed}
	for name, tc := range map[string]struct {
		happened []any
		want     string
	}{
		"no election":           {[]any{lease("subject-0", 200), ended("subject-0", history.ReplicaKilled), failed}, ""},
		"somebody leads":        {[]any{started, lease("subject-0", 200), failed}, ""},
		"the standby leads":     {[]any{started, lease("subject-0", 200), ended("subject-0", history.ReplicaKilled), lease("subject-1", 200), failed}, ""},
		"the standby ended":     {[]any{started, lease("subject-0", 200), ended("subject-1", history.ReplicaKilled), failed}, ""},
		"nobody took it":        {[]any{started, lease("subject-0", 200), ended("subject-0", history.ReplicaKilled), failed}, "; no replica has taken the Lease since subject-0 ended"},
		"an attempt is refused": {[]any{started, lease("subject-0", 200), ended("subject-0", history.ReplicaTerminated), lease("subject-1", 409), failed}, "; no replica has taken the Lease since subject-0 ended"},
		"the leader is cut off": {[]any{started, lease("subject-0", 200), ended("subject-0", history.ReplicaPartitioned), failed}, "; no replica has taken the Lease since subject-0 was cut off"},
		"it ended afterwards":   {[]any{started, lease("subject-0", 200), failed, ended("subject-0", history.ReplicaStopped)}, ""},
		"nobody ever led":       {[]any{started, failed}, "; no replica ever held the Lease"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, (&Case{Account: accountOf("", tc.happened)}).leaderless()); diff != "" {
				t.Errorf("who leads (-want +got):\n%s", diff)
			}
		})
	}
}
