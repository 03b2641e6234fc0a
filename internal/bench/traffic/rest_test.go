package traffic

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// write records a write of an object, which was answered at once.
func write(recorder *history.Recorder, name string, effect history.Effect) {
	recorder.Begin(history.Request{
		Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: name,
	}).Finish(func(r *history.Request) { r.Code, r.Effect = 200, effect })
}

// TestQuietAfterAWholeRound: until a subject has sent a whole round of its requests, a
// write may still follow, even if its last writes changed nothing. A subject that polls
// becomes quiet all the same.
func TestQuietAfterAWholeRound(t *testing.T) {
	const pause = 500 * time.Millisecond
	noop, effective := history.EffectNoop, history.EffectEffective
	for name, tc := range map[string]struct {
		does   func(*history.Recorder)
		phase  v1alpha1.TrafficPhase
		opened time.Duration // after the first write
	}{
		"nothing": {func(*history.Recorder) {}, v1alpha1.TrafficComplete, quietFor},
		"one after the other, and the last one changes something": {func(recorder *history.Recorder) {
			for n := range 6 {
				time.Sleep(pause)
				write(recorder, fmt.Sprintf("web-%d", n), noop)
			}
			time.Sleep(pause)
			write(recorder, "web-6", effective)
		}, v1alpha1.TrafficComplete, 7*pause + quietFor},
		"reads first, of one after the other": {func(recorder *history.Recorder) {
			for n := range 6 {
				time.Sleep(pause)
				recorder.Begin(history.Request{
					Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbGet, Resource: "configmaps", Name: fmt.Sprint("web-", n),
				}).Finish(func(r *history.Request) { r.Code = 200 })
			}
			write(recorder, "web-6", effective)
		}, v1alpha1.TrafficComplete, 6*pause + quietFor},
		"three that it applies at each of many looks": {func(recorder *history.Recorder) {
			for n := range 60 {
				time.Sleep(pause)
				write(recorder, fmt.Sprintf("web-%d", n%3), noop)
			}
		}, v1alpha1.TrafficComplete, 3*pause + quietFor},
		"a write that fails each time": {func(recorder *history.Recorder) {
			for range 60 {
				time.Sleep(pause)
				write(recorder, "web", history.EffectRefused)
			}
		}, v1alpha1.TrafficComplete, pause + quietFor},
		"always other ones, which change nothing": {func(recorder *history.Recorder) {
			for n := range 60 {
				time.Sleep(pause)
				write(recorder, fmt.Sprintf("web-%d", n), noop)
			}
		}, v1alpha1.TrafficComplete, 20 * time.Second},
		"always the same, which changes": {func(recorder *history.Recorder) {
			for range 60 {
				time.Sleep(pause)
				write(recorder, "web", effective)
			}
		}, v1alpha1.TrafficNeverQuiet, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				write(recorder, "web", effective)
				began := time.Now()
				m := &measurement{
					quiet: quietFor, namespace: namespace, patience: 20 * time.Second, giveUp: giveUp,
					spec: v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet}, created: began,
				}
				var does sync.WaitGroup
				does.Go(func() { tc.does(recorder) })
				defer does.Wait()
				got := until(m, recorder, ready())
				took := time.Since(began)
				if got.Phase != tc.phase || took < tc.opened || took > tc.opened+time.Second/2 {
					t.Errorf("%s after %s, want %s after %s", got.Phase, took, tc.phase, tc.opened)
				}
			})
		})
	}
}

// TestQuietThoughAnswersAreSlow: the time in which a subject must become quiet does not
// run while it waits for answers.
func TestQuietThoughAnswersAreSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		write(recorder, "web", history.EffectEffective)
		m := &measurement{
			quiet: quietFor, namespace: namespace, patience: 20 * time.Second, giveUp: giveUp,
			spec: v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet}, created: time.Now(),
		}
		const objects = 25
		began := time.Now()
		var does sync.WaitGroup
		defer does.Wait()
		does.Go(func() {
			for n := range objects {
				r := recorder.Begin(history.Request{
					Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbGet, Resource: "services", Name: fmt.Sprint("web-", n),
				})
				time.Sleep(time.Second)
				r.Finish(func(r *history.Request) { r.Code = 200 })
			}
			write(recorder, "late", history.EffectEffective)
		})
		got := until(m, recorder, ready())
		if took := time.Since(began); got.Phase != v1alpha1.TrafficComplete || took < objects*time.Second+quietFor {
			t.Errorf("%s after %s, though its round took %d s, and then it wrote", got.Phase, took, objects)
		}
	})
}
