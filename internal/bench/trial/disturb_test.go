package trial

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// nothingElse is an API server in which everything is as it was given, and a Subject that is ready.
type nothingElse struct{ client.Reader }

func (nothingElse) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

func (nothingElse) Running(string) *subject.Running { return &subject.Running{Ready: true} }

// TestAwaitPoint: on a busy machine a subject is quiet before it has begun to react. The request that is
// to be disturbed is awaited for longer than the subject must be quiet, but not for ever.
func TestAwaitPoint(t *testing.T) {
	for name, tc := range map[string]struct {
		comes time.Duration // after the Trial has waited once
		lasts bool
		want  bool
	}{
		"it has come":          {0, false, true},
		"it comes late":        {3 * time.Second, false, true},
		"it does not come":     {time.Minute, false, false},
		"all requests are hit": {3 * time.Second, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			recorder := history.New(io.Discard, nil)
			d := &disturbance{lasts: tc.lasts}
			d.fault.Name = "fault"
			r := &run{
				Controller: &Controller{Recorder: recorder, Reader: nothingElse{}, Subjects: nothingElse{}, Profile: func(string) *profile.Profile { return &profile.Profile{} }},
				namespace:  "a", within: 10 * time.Second, armed: true, disturbance: d,
			}
			hit := func() { recorder.Begin(history.Request{Scenario: "a", Verb: history.VerbGet, Fault: "fault"}) }
			if tc.comes == 0 {
				hit()
			}
			timer := time.AfterFunc(tc.comes, hit)
			defer timer.Stop()
			began := time.Now()
			restless, err := r.awaitPoint(t.Context())
			if restless || err != nil || r.wasReached() != tc.want {
				t.Errorf("%s: reached %t; restless %t, %v", name, r.wasReached(), restless, err)
			}
			if waited := time.Since(began); (tc.comes == 0 || tc.lasts) && waited > 0 || waited > r.within {
				t.Errorf("%s: it waited %s", name, waited)
			}
		})
	}
}
