package visit

import (
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/runner"
)

func TestAwaitLook(t *testing.T) {
	for name, tc := range map[string]struct {
		status bool          // it writes a status when it has created the Deployment
		pause  time.Duration // until it writes again, after it was shown that the Deployment changed; 0: never
		// want is what is found out, and took how long that takes.
		want, took time.Duration
	}{
		"a look after ten seconds":     {true, 10 * time.Second, 10 * time.Second, 5 * time.Second},
		"a look in the five seconds":   {true, 5 * time.Second, 5 * time.Second, 0},
		"it is only slow":              {true, 2 * time.Second, 0, 0},
		"it looks no more":             {true, 0, 0, untilLook - atRest},
		"it looks after a minute":      {true, time.Minute, 0, untilLook - atRest},
		"it has no status to be right": {false, 10 * time.Second, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				send := func(verb, resource, subresource string) {
					recorder.Begin(history.Request{
						Scenario: Namespace, Verb: verb, Group: map[string]string{"deployments": "apps"}[resource], Resource: resource, Subresource: subresource,
					}).Finish(func(q *history.Request) { q.Code, q.Effect = 200, history.EffectEffective })
				}
				crd := &apiextensionsv1.CustomResourceDefinition{}
				crd.Spec.Names.Plural = "webapps"
				v := &visitor{session: &runner.Session{Recorder: recorder}, record: infer.Record{CRD: crd}}

				send(history.VerbCreate, "deployments", "")
				if tc.status {
					send(history.VerbUpdate, "webapps", "status")
				}
				_, wrote := v.writes(0)
				after := recorder.LastSeq()
				v.record.Account = recorder.Account(Namespace)
				time.Sleep(time.Millisecond)
				recorder.Show(Namespace, history.Shown{Resource: "deployments.apps", Name: "demo", UID: "u", ResourceVersion: "8"})
				go func() {
					time.Sleep(tc.pause)
					if tc.pause > 0 {
						send(history.VerbUpdate, "webapps", "status")
					}
				}()
				time.Sleep(atRest + time.Millisecond)
				began := time.Now()
				if err := v.awaitLook(t.Context(), after, wrote); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took.Round(100*time.Millisecond) != tc.took {
					t.Errorf("it took %s, want %s", took, tc.took)
				}
				if got := v.record.LooksAfter(); got != tc.want {
					t.Errorf("it looks after %s, want %s", got, tc.want)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestWillLook: a visit waits for such a look, but not for one that takes long.
func TestWillLook(t *testing.T) {
	for name, tc := range map[string]struct {
		looked time.Duration
		told   bool // it was shown a change after its last write
		since  time.Duration
		want   bool
	}{
		"soon":             {10 * time.Second, true, 3 * time.Second, true},
		"it was due":       {10 * time.Second, true, 12 * time.Second, false},
		"it has written":   {10 * time.Second, false, 3 * time.Second, false},
		"watches wake it":  {0, true, 3 * time.Second, false},
		"that is too long": {30 * time.Second, true, 3 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				v := &visitor{session: &runner.Session{Recorder: recorder}, record: infer.Record{Looked: tc.looked}}
				wrote := time.Now()
				if !tc.told {
					wrote = wrote.Add(time.Second)
				}
				time.Sleep(time.Millisecond)
				recorder.Show(Namespace, history.Shown{Resource: "deployments.apps", Name: "demo", UID: "u", ResourceVersion: "8"})
				time.Sleep(tc.since)
				if got := v.willLook(wrote); got != tc.want {
					t.Errorf("%v, want %v", got, tc.want)
				}
			})
		})
	}
}
