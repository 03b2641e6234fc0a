package subject

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// surrounded is a Subject without a process, and a function that records its requests.
func surrounded(surround func([]string) error) (*instance, func(verb, resource, name string, code int)) {
	env := &Environment{Recorder: history.New(nil, nil)}
	env.Surround = func(_ context.Context, _ history.Request, inVain []history.Request) error {
		var names []string
		for _, r := range inVain {
			names = append(names, r.Resource+" "+r.Name)
		}
		return surround(names)
	}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "s", Name: "subject"}}
	return &instance{env: env, subject: subject}, func(verb, resource, name string, code int) {
		env.Recorder.Begin(history.Request{Scenario: "s", Namespace: "s", Verb: verb, Resource: resource, Name: name}).
			Finish(func(r *history.Request) { r.Code = code })
	}
}

// TestInVain: a bystander gets a name that the controller asks for again and again, and
// never gives to an object of its own.
func TestInVain(t *testing.T) {
	i, ask := surrounded(nil)
	for range 2 {
		ask(history.VerbDelete, "persistentvolumeclaims", "at-each-reconcile", 404)
		ask(history.VerbGet, "poddisruptionbudgets", "looked-for", 404)
		ask(history.VerbGet, "poddisruptionbudgets", "there", 200)
		ask(history.VerbDelete, "ingresses", "made-before", 404)
		ask(history.VerbDelete, "ingresses", "made-later", 404)
	}
	ask(history.VerbDelete, "ingresses", "once", 404)
	ask(history.VerbCreate, "ingresses", "made-later", 201)
	ask(history.VerbCreate, "ingresses", "made-before", 409)
	var got []string
	for _, r := range i.inVain() {
		got = append(got, r.Name)
	}
	if diff := cmp.Diff([]string{"at-each-reconcile", "looked-for"}, got); diff != "" {
		t.Errorf("without success (-want +got):\n%s", diff)
	}
}

// TestKeepSurrounded: the bench goes on making bystanders until all are there, and
// makes more when new names are known. If some are missing in the end, that is
// recorded.
func TestKeepSurrounded(t *testing.T) {
	for name, tc := range map[string]struct {
		failures int
		want     [][]string // the names of each attempt
		events   []string
	}{
		"at once":            {0, [][]string{nil, {"persistentvolumeclaims demo"}}, []string{"NamesakeMade"}},
		"at the third":       {2, [][]string{nil, nil, nil, {"persistentvolumeclaims demo"}}, []string{"NamesakeMade"}},
		"not before the end": {1000, nil, []string{"NoBystanders"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var attempts [][]string
				i, ask := surrounded(func(names []string) error {
					attempts = append(attempts, names)
					if len(attempts) <= tc.failures {
						return errors.New("not now")
					}
					return nil
				})
				ctx, cancel := context.WithCancel(t.Context())
				news, done := make(chan struct{}, 1), make(chan struct{})
				go func() {
					defer close(done)
					i.keepSurrounded(ctx, history.Request{}, news)
				}()
				time.Sleep(10 * time.Second)
				ask(history.VerbDelete, "persistentvolumeclaims", "demo", 404)
				ask(history.VerbDelete, "persistentvolumeclaims", "demo", 404)
				news <- struct{}{}
				time.Sleep(10 * time.Second)
				cancel()
				<-done
				if tc.want != nil {
					if diff := cmp.Diff(tc.want, attempts); diff != "" {
						t.Errorf("attempts (-want +got):\n%s", diff)
					}
				}
				var events []string
				for _, e := range i.env.Recorder.Events("s") {
					if !slices.Contains(events, e.Reason) {
						events = append(events, e.Reason)
					}
				}
				if tc.want == nil {
					events = slices.DeleteFunc(events, func(reason string) bool { return reason == history.NamesakeMade })
				}
				if diff := cmp.Diff(tc.events, events); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}
