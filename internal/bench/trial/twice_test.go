package trial

import (
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestTwiceHarm: a child is not written again while the answer to the same write is awaited. Only
// one sender, one process, one owner and the same fields count.
func TestTwiceHarm(t *testing.T) {
	const at = "/apis/apps/v1/namespaces/ns/deployments/demo"
	second := time.Second
	// A write that begins after so long, and waits a second for its answer.
	write := func(verb string, after time.Duration, edit func(*history.Request)) history.Request {
		q := history.Request{
			Verb: verb, Group: "apps", Resource: "deployments", Namespace: "ns", Name: "demo", Replica: "subject-0", Path: at,
			Time: time.Unix(0, 0).Add(after), Duration: metav1.Duration{Duration: second}, Finished: true, Code: http.StatusOK,
			Effect: history.EffectEffective, Changed: []string{"spec.replicas", "metadata.labels.app"},
			Owners: []history.Owner{{Kind: "WebApp", Name: "demo", UID: "1", Controller: true}},
		}
		if edit != nil {
			edit(&q)
		}
		return q
	}
	create, update := history.VerbCreate, history.VerbUpdate
	owners := func(owners ...history.Owner) func(*history.Request) {
		return func(q *history.Request) { q.Owners = owners }
	}
	managed := func(by string) func(*history.Request) {
		return func(q *history.Request) { q.Path = at + "?force=true&fieldManager=" + by }
	}
	refused := func(q *history.Request) {
		q.Code, q.Effect, q.Owners, q.Changed = http.StatusConflict, history.EffectRefused, nil, nil
	}
	for name, tc := range map[string]struct {
		first, next history.Request
		restarted   bool
		want        int
	}{
		"two creations":                   {write(create, 0, nil), write(create, second/2, nil), false, 1},
		"a creation that is refused then": {write(create, 0, refused), write(create, second/2, nil), false, 1},
		"one after the other":             {write(create, 0, nil), write(create, second, nil), false, 0},
		"both refused: no owner is known": {write(create, 0, refused), write(create, second/2, refused), false, 0},
		"by two replicas":                 {write(create, 0, nil), write(create, second/2, func(q *history.Request) { q.Replica = "subject-1" }), false, 0},
		"by two processes":                {write(create, 0, nil), write(create, second/2, nil), true, 0},
		"a dry run":                       {write(create, 0, func(q *history.Request) { q.Effect = history.EffectNoop }), write(create, second/2, func(q *history.Request) { q.Effect = history.EffectNoop }), false, 0},
		"of two objects":                  {write(create, 0, nil), write(create, second/2, func(q *history.Request) { q.Name = "other" }), false, 0},
		"of two kinds":                    {write(create, 0, nil), write(create, second/2, func(q *history.Request) { q.Resource = "statefulsets" }), false, 0},
		"of an object without an owner":   {write(create, 0, owners()), write(create, second/2, owners()), false, 0},
		"of an object that nobody controls": {
			write(create, 0, owners(history.Owner{UID: "1"})), write(create, second/2, owners(history.Owner{UID: "1"})), false, 0,
		},
		"of an object of two owners": {
			write(create, 0, owners(history.Owner{UID: "1", Controller: true}, history.Owner{UID: "2"})), write(create, second/2, nil), false, 0,
		},
		"the client gave the first one up": {write(create, 0, func(q *history.Request) { q.AddNote(history.NoteUnawaited) }), write(create, second/2, nil), false, 0},
		"its connection was cut": {
			write(create, 0, func(q *history.Request) { q.Fault = "f"; q.AddNote(history.NoteAnswerLost) }), write(create, second/2, nil), false, 0,
		},
		"a creation and an update": {write(create, 0, nil), write(update, second/2, nil), false, 0},
		"two updates":              {write(update, 0, nil), write(update, second/2, nil), false, 1},
		"of other fields": {
			write(update, 0, nil), write(update, second/2, func(q *history.Request) { q.Changed = []string{"metadata.finalizers"} }), false, 0,
		},
		"an update that is refused": {write(update, 0, nil), write(update, second/2, refused), false, 0},
		"by two field managers":     {write(update, 0, managed("one")), write(update, second/2, managed("other")), false, 0},
		"by one field manager":      {write(update, 0, managed("one")), write(update, second/2, managed("one")), false, 1},
		"of a subresource": {
			write(update, 0, func(q *history.Request) { q.Subresource = "scale" }), write(update, second/2, nil), false, 0,
		},
		"of the status": {
			write(update, 0, func(q *history.Request) { q.Subresource = "status" }),
			write(update, second/2, func(q *history.Request) { q.Subresource = "status" }), false, 0,
		},
		"of a Lease": {
			write(update, 0, func(q *history.Request) { q.Group, q.Resource = "coordination.k8s.io", "leases" }),
			write(update, second/2, func(q *history.Request) { q.Group, q.Resource = "coordination.k8s.io", "leases" }), false, 0,
		},
		"of a bystander": {
			write(create, 0, func(q *history.Request) { q.Bystander = true }), write(create, second/2, func(q *history.Request) { q.Bystander = true }), false, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.first.Seq, tc.next.Seq = 1, 3
			account := history.Account{Requests: []history.Request{tc.first, tc.next}}
			if tc.restarted {
				account.Events = []history.Event{{Seq: 2, Reason: history.ReplicaStarted, Replica: "subject-0"}}
			}
			got := twiceHarm(account)
			if len(got) != tc.want || tc.want > 0 && (got[0].Object != "deployments.apps demo" || got[0].Kind != v1alpha1.DivergenceHarm) {
				t.Errorf("%+v, want %d", got, tc.want)
			}
		})
	}
	// A third one, and one after the end of the first, are told once.
	several := history.Account{Requests: []history.Request{
		write(create, 0, nil), write(create, second/4, nil), write(create, second/2, nil), write(create, 3*second, nil), write(create, 3*second+second/2, nil),
	}}
	if got := twiceHarm(several); len(got) != 1 {
		t.Errorf("%+v, want one", got)
	}
}
