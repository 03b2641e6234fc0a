package traffic

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const namespace = "sh-001"

// send records one finished request of the subject.
func send(recorder *history.Recorder, verb, resource string, effect history.Effect) {
	recorder.Begin(history.Request{
		Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: verb, Group: "apps", Resource: resource, Name: "demo",
	}).Finish(func(r *history.Request) {
		r.Code, r.Effect = 200, effect
	})
}

// until steps the measurement until it is done, as the controller does.
func until(m *measurement, recorder *history.Recorder, subject *subject.Running) v1alpha1.TrafficStatus {
	for {
		status, next := m.step(time.Now(), recorder, subject)
		if next == 0 {
			return status
		}
		time.Sleep(next)
	}
}

// begin makes a controller begin the measurement of a Traffic.
func begin(t *testing.T, claims v1alpha1.Claims, scale float64, spec v1alpha1.TrafficSpec) *measurement {
	t.Helper()
	c := &Controller{
		Recorder: history.New(nil, nil),
		Times:    func(string) expectation.Times { return expectation.Times{Claims: claims, Scale: scale} },
		Workload: func(string) string { return "deployments.apps" },
	}
	m, err := c.begin(&v1alpha1.Traffic{Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestQuietCoversTheResync(t *testing.T) {
	claims := v1alpha1.Claims{}
	for _, tc := range []struct {
		resync time.Duration
		scale  float64
		covers bool
		want   time.Duration
	}{
		{0, 1, false, quietFor},
		{0, 3, false, quietFor},
		{0, 0.1, false, quickQuietFor},
		{5 * time.Second, 1, false, 6 * time.Second},
		{5 * time.Second, 0.1, false, 6 * time.Second},
		{5 * time.Second, 1, true, 6 * time.Second},
		{5 * time.Second, 0.1, true, 6 * time.Second},
		{time.Second / 2, 1, true, quietFor},
		{0, 1, true, quietFor},
		{10 * time.Hour, 1, false, quietFor}, // that cannot be waited for
		{10 * time.Hour, 1, true, quietFor},
	} {
		claims.Times.Resync.Duration = tc.resync
		m := begin(t, claims, tc.scale, v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet, QuietCoversResync: tc.covers})
		if longer := m.quiet - quietFor; longer > 0 && m.patience < longer {
			t.Errorf("resync %s: it waits for %s, and gives up after %s", tc.resync, m.quiet, m.patience)
		}
		if got := m.quietLasts(look{recorder: history.New(nil, nil)}); got != tc.want {
			t.Errorf("resync %s, scale %g: %s, want %s", tc.resync, tc.scale, got, tc.want)
		}
	}
}

func ready() *subject.Running {
	return &subject.Running{Name: "subject", Ready: true, Replicas: []string{"subject-0"}}
}

func TestQuietWindowCountsWhatComesAfterQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		send(recorder, history.VerbCreate, "deployments", history.EffectEffective)
		m := &measurement{
			quiet:     quietFor,
			namespace: namespace, window: 3 * time.Second, patience: 20 * time.Second,
			spec:    v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet},
			created: time.Now(),
		}
		go func() {
			time.Sleep(quietFor + time.Second)
			send(recorder, history.VerbUpdate, "deployments", history.EffectNoop)
			send(recorder, history.VerbUpdate, "deployments", history.EffectEffective)
			send(recorder, history.VerbList, "deployments", history.EffectNone)
		}()
		got := until(m, recorder, ready())
		want := v1alpha1.TrafficStatus{
			Phase: v1alpha1.TrafficComplete, WindowMs: 3000, Requests: 3, Effective: 1, Noop: 1, Futile: 1,
			ByVerb: map[string]int64{"update": 2, "list": 1}, GapsMs: []int64{0, 0}, MaxPerSecond: 3,
			Message: "#2 update deployments demo (noop); #3 update deployments demo (effective); #4 list deployments demo",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
	})
}

// TestCachesThatAreFilledInTheWindow: a process that begins to lead in the window lists
// everything once, which does not count. A second list counts, and so does a list by a
// process that had worked before.
func TestCachesThatAreFilledInTheWindow(t *testing.T) {
	ask := func(recorder *history.Recorder, verb, group, resource string) {
		recorder.Begin(history.Request{
			Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: verb, Group: group, Resource: resource, StreamingList: verb == history.VerbWatch,
		}).Finish(func(r *history.Request) { r.Code = 200 })
	}
	lease := func(recorder *history.Recorder) { ask(recorder, history.VerbGet, "coordination.k8s.io", "leases") }
	for name, tc := range map[string]struct {
		before func(*history.Recorder)
		want   int64
	}{
		"a process that waited for its Lease": {lease, 1},
		"one that was started anew": {func(recorder *history.Recorder) {
			ask(recorder, history.VerbWatch, "", "pods")
			recorder.Event(history.Event{Scenario: namespace, Replica: "subject-0", Reason: history.ReplicaStarted})
			lease(recorder)
		}, 1},
		"one that had listed before": {func(recorder *history.Recorder) { ask(recorder, history.VerbWatch, "", "pods") }, 3},
		"one that had written before": {func(recorder *history.Recorder) {
			send(recorder, history.VerbCreate, "deployments", history.EffectEffective)
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				tc.before(recorder)
				m := &measurement{
					quiet: quietFor, namespace: namespace, window: 3 * time.Second, patience: 20 * time.Second, created: time.Now(),
					spec: v1alpha1.TrafficSpec{
						Start: v1alpha1.StartQuiet, Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbGet, history.VerbList}},
					},
				}
				go func() {
					time.Sleep(quietFor + time.Second)
					lease(recorder)
					ask(recorder, history.VerbWatch, "", "pods")
					ask(recorder, history.VerbList, "", "services")
					ask(recorder, history.VerbList, "", "services")
				}()
				if got := until(m, recorder, ready()); got.Requests != tc.want {
					t.Errorf("%d requests, want %d: %s", got.Requests, tc.want, got.Message)
				}
			})
		})
	}
}

// TestWritesToBystanders: an invariant judges these writes, so they do not count as
// traffic at rest.
func TestWritesToBystanders(t *testing.T) {
	recorder := history.New(nil, nil)
	for _, bystander := range []bool{true, false} {
		recorder.Begin(history.Request{Scenario: namespace, Verb: history.VerbUpdate, Resource: "services"}).Finish(func(r *history.Request) {
			r.Code, r.Bystander = 200, bystander
		})
	}
	got := (&measurement{}).requests(recorder, history.Query{Scenario: namespace})
	if len(got) != 1 || got[0].Bystander {
		t.Errorf("these count: %+v, want the write to the child only", got)
	}
}

// TestStandbyThatLed: if the leader changes in the window, what it wrote before that is not the
// write of a standby. What another replica wrote without leading is.
func TestStandbyThatLed(t *testing.T) {
	recorder := history.New(nil, nil)
	for _, replica := range []string{"subject-0", "subject-1", "subject-2"} {
		recorder.Begin(history.Request{Scenario: namespace, Replica: replica, Verb: history.VerbUpdate, Resource: "services"}).Finish(func(r *history.Request) {
			r.Code = 200
		})
	}
	led := func(r history.Request) bool { return r.Replica == "subject-0" }
	m := &measurement{led: func() func(history.Request) bool { return led }}
	// The last one leads now.
	query := history.Query{Scenario: namespace, Replicas: []string{"subject-0", "subject-1"}}
	m.spec.Target = v1alpha1.TargetStandby
	got := m.requests(recorder, query)
	if len(got) != 2 || got[0].Replica != "subject-1" || got[1].Replica != "subject-2" {
		t.Errorf("these count: %+v, want those of who did not lead", got)
	}
	m.spec.Target = ""
	if got := m.requests(recorder, query); len(got) != 2 || got[0].Replica != "subject-0" {
		t.Errorf("of all replicas these count: %+v", got)
	}
}

// A controller that watches its Deployments is told of changes, so the usual quiet time
// is enough. One that does not watch them must be quiet until its next resync. So must one
// that was told of a change and wrote nothing: its predicate may drop changes of the status.
func TestQuietLastsUntilTheResyncOfWhoIsToldOfNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		watches       bool
		before, after string // the versions that it is shown before its last write, and after it
		want          time.Duration
	}{
		"it watches":                         {true, "", "", quietFor},
		"it does not":                        {false, "", "", 21 * time.Second},
		"it wrote after the last change":     {true, "8", "", quietFor},
		"it has not written since":           {true, "", "8", 21 * time.Second},
		"it is shown what it wrote":          {true, "", "7", quietFor},
		"it is shown the same version again": {true, "8", "8", quietFor},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				show := func(version string) {
					if version != "" {
						time.Sleep(time.Second)
						recorder.Show(namespace, history.Shown{Resource: "deployments.apps", Name: "demo", UID: "u", ResourceVersion: version})
					}
				}
				show(tc.before)
				recorder.Begin(history.Request{
					Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: "demo",
				}).Finish(func(r *history.Request) {
					r.Code, r.Effect, r.ResourceVersion = 200, history.EffectEffective, "7"
				})
				show(tc.after)
				if tc.watches {
					recorder.Begin(history.Request{
						Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbWatch,
						Group: "apps", Resource: "deployments",
					}).Update(func(r *history.Request) { r.Code = 200 })
				}
				m := &measurement{
					workload: "deployments.apps", quiet: quietFor, untold: 21 * time.Second, namespace: namespace, window: time.Second, patience: 20 * time.Second,
					spec: v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet}, created: time.Now(),
				}
				got := until(m, recorder, ready())
				took := time.Since(m.created) - m.window
				if got.Phase != v1alpha1.TrafficComplete || took < tc.want || took > tc.want+objects.Recheck {
					t.Errorf("%s, quiet after %s, want %s", got.Phase, took, tc.want)
				}
			})
		})
	}
}

// A controller that looks every twenty seconds finds then what it was not told of. It has
// as much longer for it as its quiet lasts longer.
func TestPatienceLastsUntilAfterTheResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		recorder.Begin(history.Request{
			Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbWatch, Group: "apps", Resource: "deployments",
		}).Update(func(r *history.Request) { r.Code = 200 })
		recorder.Show(namespace, history.Shown{Resource: "deployments.apps", Name: "demo", UID: "u", ResourceVersion: "8"})
		m := &measurement{
			workload: "deployments.apps", quiet: quietFor, untold: 21 * time.Second, namespace: namespace, window: time.Second, patience: 20 * time.Second,
			spec: v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet}, created: time.Now(),
		}
		var polling sync.WaitGroup
		defer polling.Wait()
		polling.Go(func() {
			time.Sleep(19500 * time.Millisecond)
			send(recorder, history.VerbUpdate, "webapps", history.EffectEffective)
		})
		synctest.Wait()
		got := until(m, recorder, ready())
		if took := time.Since(m.created) - m.window; got.Phase != v1alpha1.TrafficComplete || took > 19500*time.Millisecond+quietFor+objects.Recheck {
			t.Errorf("%s, quiet after %s, want the usual quiet after its look", got.Phase, took)
		}
	})
}

// The next look of a controller that is told of nothing may still change something, such as a
// status that is late. It must be quiet until the look after that. One that changes something at
// each look is never quiet.
func TestQuietAfterTheLookThatWrites(t *testing.T) {
	const period = 30 * time.Second
	for name, tc := range map[string]struct {
		start v1alpha1.TrafficStart
		looks int // that write
		want  v1alpha1.TrafficPhase
	}{
		"once":               {v1alpha1.StartQuiet, 1, v1alpha1.TrafficComplete},
		"each time":          {v1alpha1.StartQuiet, 5, v1alpha1.TrafficNeverQuiet},
		"once, since then":   {v1alpha1.StartSince, 1, v1alpha1.TrafficComplete},
		"each time, as well": {v1alpha1.StartSince, 5, v1alpha1.TrafficNeverQuiet},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				send(recorder, history.VerbCreate, "deployments", history.EffectEffective)
				m := &measurement{
					workload: "deployments.apps", quiet: quietFor, untold: period + quietMargin, namespace: namespace, window: time.Second, patience: 20 * time.Second,
					spec: v1alpha1.TrafficSpec{Start: tc.start}, created: time.Now(),
				}
				var polling sync.WaitGroup
				defer polling.Wait()
				polling.Go(func() {
					for range tc.looks {
						time.Sleep(period - time.Second/10)
						send(recorder, history.VerbUpdate, "webapps", history.EffectEffective)
					}
				})
				synctest.Wait()
				if got := until(m, recorder, ready()); got.Phase != tc.want {
					t.Errorf("%s after %s, want %s", got.Phase, time.Since(m.created), tc.want)
				}
			})
		})
	}
}

func TestNeverQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		var sending sync.WaitGroup
		defer sending.Wait()
		sending.Go(func() {
			for range 15 {
				send(recorder, history.VerbUpdate, "deployments", history.EffectEffective)
				time.Sleep(time.Second)
			}
		})
		m := &measurement{
			quiet:     quietFor,
			namespace: namespace, window: 3 * time.Second, patience: 10 * time.Second,
			spec:    v1alpha1.TrafficSpec{Start: v1alpha1.StartQuiet},
			created: time.Now(),
		}
		synctest.Wait()
		got := until(m, recorder, ready())
		if got.Phase != v1alpha1.TrafficNeverQuiet || got.Effective < 10 {
			t.Errorf("got phase %s with %d effective writes, want NeverQuiet with those of 10 s", got.Phase, got.Effective)
		}
	})
}

func TestSinceReachesBackToTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		send(recorder, history.VerbCreate, "services", history.EffectEffective) // of an earlier Subject
		running := ready()
		running.After = recorder.LastSeq()
		send(recorder, history.VerbList, "deployments", history.EffectNone)
		send(recorder, history.VerbUpdate, "deployments", history.EffectEffective)
		m := &measurement{
			quiet:     quietFor,
			namespace: namespace, window: 2 * time.Second, patience: 20 * time.Second,
			spec: v1alpha1.TrafficSpec{
				Start: v1alpha1.StartSince,
				Match: v1alpha1.RequestMatch{Verbs: []string{"create", "update", "delete"}},
			},
			created: time.Now(),
		}
		got := until(m, recorder, running)
		if got.Phase != v1alpha1.TrafficComplete || got.Requests != 1 || got.Effective != 1 {
			t.Errorf("got %+v, want the one update of this Subject", got)
		}
	})
}

// A controller that does not watch its Deployments has not seen their end before its next
// resync. What it does then belongs to the count.
func TestSinceLastsUntilTheResyncOfWhoIsToldOfNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		watches bool
		writes  int64
		took    time.Duration
	}{
		"it watches":  {true, 1, 2 * time.Second},
		"it does not": {false, 2, 5*time.Second + 6*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				send(recorder, history.VerbCreate, "deployments", history.EffectEffective)
				if tc.watches {
					recorder.Begin(history.Request{
						Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbWatch, Group: "apps", Resource: "deployments",
					}).Update(func(r *history.Request) { r.Code = 200 })
				}
				var polling sync.WaitGroup
				defer polling.Wait()
				polling.Go(func() {
					time.Sleep(5 * time.Second)
					send(recorder, history.VerbUpdate, "webapps", history.EffectEffective)
				})
				m := &measurement{
					workload: "deployments.apps", quiet: quietFor, untold: 6 * time.Second, namespace: namespace, window: 2 * time.Second, patience: 20 * time.Second,
					spec: v1alpha1.TrafficSpec{Start: v1alpha1.StartSince}, created: time.Now(),
				}
				got := until(m, recorder, ready())
				if took := time.Since(m.created); got.Effective != tc.writes || took < tc.took || took > tc.took+objects.Recheck {
					t.Errorf("%d effective writes after %s, want %d after %s", got.Effective, took, tc.writes, tc.took)
				}
			})
		})
	}
}

func TestWindowOpensWithTheFirstThatMatches(t *testing.T) {
	for name, tc := range map[string]struct {
		idle time.Duration // before the first attempt
		want v1alpha1.TrafficStatus
	}{
		"late":  {7 * time.Second, v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete, Requests: 3, WindowMs: 3000}},
		"never": {time.Minute, v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete, WindowMs: 20100}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sending sync.WaitGroup
				defer sending.Wait()
				recorder := history.New(nil, nil)
				send(recorder, history.VerbCreate, "deployments", history.EffectEffective) // before it was asked for
				m := &measurement{
					quiet:     quietFor,
					namespace: namespace, window: 3 * time.Second, patience: 20 * time.Second,
					spec: v1alpha1.TrafficSpec{
						Start: v1alpha1.StartFirst,
						Match: v1alpha1.RequestMatch{Verbs: []string{"create"}},
					},
					created: time.Now(), createdAfter: recorder.LastSeq(),
				}
				if status, _ := m.step(time.Now(), recorder, ready()); status.Phase != v1alpha1.TrafficMeasuring {
					t.Errorf("before the first it is %s", status.Phase)
				}
				sending.Go(func() {
					time.Sleep(tc.idle)
					for range 5 {
						send(recorder, history.VerbList, "deployments", history.EffectNone)
						send(recorder, history.VerbCreate, "deployments", history.EffectNone)
						time.Sleep(1100 * time.Millisecond)
					}
				})
				got := until(m, recorder, ready())
				got = v1alpha1.TrafficStatus{Phase: got.Phase, Requests: got.Requests, WindowMs: got.WindowMs}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("status (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestStartsWithTheFirstEffectiveWrite: earlier writes that change nothing do not start
// the window.
func TestStartsWithTheFirstEffectiveWrite(t *testing.T) {
	for name, tc := range map[string]struct {
		effect history.Effect // of the third write
		want   v1alpha1.TrafficStatus
	}{
		"one that is effective": {history.EffectEffective, v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete, Requests: 3, Effective: 1, WindowMs: 500}},
		"none":                  {history.EffectNoop, v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete, Requests: 3, WindowMs: 20_000}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sending sync.WaitGroup
				defer sending.Wait()
				recorder := history.New(nil, nil)
				send(recorder, history.VerbList, "deployments", history.EffectNone)
				m := &measurement{
					quiet: quietFor, namespace: namespace, window: 500 * time.Millisecond, patience: 20 * time.Second,
					spec:    v1alpha1.TrafficSpec{Start: v1alpha1.StartEffective, Match: v1alpha1.RequestMatch{Verbs: []string{"update"}}},
					created: time.Now(), createdAfter: recorder.LastSeq(),
				}
				sending.Go(func() {
					for _, effect := range []history.Effect{history.EffectNoop, history.EffectRefused, tc.effect} {
						time.Sleep(4 * time.Second)
						send(recorder, history.VerbUpdate, "deployments", effect)
					}
				})
				got := until(m, recorder, ready())
				got = v1alpha1.TrafficStatus{Phase: got.Phase, Requests: got.Requests, Effective: got.Effective, WindowMs: got.WindowMs}
				if got.Effective == 0 && got.WindowMs > 20_000 && got.WindowMs <= 20_200 {
					got.WindowMs = 20_000 // the next look after that
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("status (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestWindowExcludesWaiting(t *testing.T) {
	for name, tc := range map[string]struct {
		answers time.Duration // of each of two requests, side by side, in every second
		want    v1alpha1.TrafficStatus
	}{
		"answered at once":   {0, v1alpha1.TrafficStatus{WindowMs: 3000}},
		"a slow server":      {500 * time.Millisecond, v1alpha1.TrafficStatus{WindowMs: 6000, WaitedMs: 3000}},
		"a very slow server": {999 * time.Millisecond, v1alpha1.TrafficStatus{WindowMs: 15_000, WaitedMs: 14_985}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sending sync.WaitGroup
				defer sending.Wait()
				recorder := history.New(nil, nil)
				send(recorder, history.VerbList, "deployments", history.EffectNone)
				begin := func(verb string) *history.Record {
					return recorder.Begin(history.Request{Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: verb, Resource: "services"})
				}
				watch := begin(history.VerbWatch) // is not waited for
				for range 2 {
					sending.Go(func() {
						for range 20 {
							request := begin(history.VerbGet)
							time.Sleep(tc.answers)
							request.Finish(func(r *history.Request) { r.Code = 200 })
							time.Sleep(time.Second - tc.answers)
						}
					})
				}
				m := &measurement{
					quiet:     quietFor,
					namespace: namespace, window: 3 * time.Second,
					spec: v1alpha1.TrafficSpec{
						ExcludesWaiting: true, Start: v1alpha1.StartNow,
						Match: v1alpha1.RequestMatch{Verbs: []string{"create"}}, // other requests are waited for all the same
					},
					created: time.Now(),
				}
				got := until(m, recorder, ready())
				got = v1alpha1.TrafficStatus{WindowMs: got.WindowMs, WaitedMs: got.WaitedMs}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("status (-want +got):\n%s", diff)
				}
				watch.Finish(func(r *history.Request) { r.Code = 200 })
			})
		})
	}
}

func TestWindowReachesBackToADisruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		send(recorder, history.VerbCreate, "services", history.EffectEffective)
		m := &measurement{
			quiet:     quietFor,
			namespace: namespace, window: 500 * time.Millisecond,
			spec:    v1alpha1.TrafficSpec{Start: v1alpha1.StartNow, Since: "kill"},
			created: time.Now(),
		}
		if status, _ := m.step(time.Now(), recorder, ready()); status.Phase != v1alpha1.TrafficWaiting || status.Message != "disruption kill is not done yet" {
			t.Fatalf("status: %+v", status)
		}
		recorder.Event(history.Event{Scenario: namespace, Reason: history.DisruptionDone, Object: "Disruption/kill"})
		send(recorder, history.VerbUpdate, "deployments", history.EffectEffective)
		time.Sleep(3 * time.Second)
		got := until(m, recorder, ready())
		if got.Phase != v1alpha1.TrafficComplete || got.Requests != 1 || got.WindowMs != 3500 {
			t.Errorf("got %+v, want the one update since the disruption", got)
		}
	})
}

func TestSilenceWithoutAnyRequestProvesNothing(t *testing.T) {
	m := &measurement{
		quiet:     quietFor,
		namespace: namespace, window: 100 * time.Millisecond,
		spec:    v1alpha1.TrafficSpec{Start: v1alpha1.StartNow},
		created: time.Now().Add(-time.Hour),
	}
	status, next := m.step(time.Now(), history.New(nil, nil), ready())
	if status.Phase != v1alpha1.TrafficWaiting || next == 0 {
		t.Errorf("got %s, want Waiting", status.Phase)
	}
}

// TestGivesUp: if the subject sends nothing, the measurement ends as Invalid after a
// time, which is scaled like all others.
func TestGivesUp(t *testing.T) {
	const patience = 10 * time.Second
	for name, tc := range map[string]struct {
		scale float64
		after time.Duration
	}{
		"scale 1": {1, 3*time.Minute + patience},
		"scale 4": {4, 12*time.Minute + 4*patience},
	} {
		t.Run(name, func(t *testing.T) {
			m := begin(t, v1alpha1.Claims{}, tc.scale, v1alpha1.TrafficSpec{
				Start: v1alpha1.StartNow, QuietWithin: v1alpha1.TimeBound{Plus: metav1.Duration{Duration: patience}},
			})
			recorder := history.New(nil, nil)
			for waited, want := range map[time.Duration]v1alpha1.Judgement{
				tc.after:               v1alpha1.JudgementPending,
				tc.after + time.Second: v1alpha1.JudgementInvalid,
			} {
				status, next := m.step(m.created.Add(waited), recorder, ready())
				if status.Verdict != want || next == 0 {
					t.Errorf("after %s: %s, next look in %s; want %s", waited, status.Verdict, next, want)
				}
			}
		})
	}
}

// TestLeaseRequestsCountAsLife: a replica that sends requests only for its Lease is
// alive.
func TestLeaseRequestsCountAsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		lease := history.Request{
			Scenario: namespace, Subject: "subject", Replica: "subject-1",
			Verb: history.VerbGet, Group: "coordination.k8s.io", Resource: "leases", Name: "lock",
		}
		recorder.Begin(lease).Finish(func(r *history.Request) { r.Code = 200 })
		m := &measurement{
			quiet:     quietFor,
			namespace: namespace, window: 3 * time.Second,
			spec:    v1alpha1.TrafficSpec{Start: v1alpha1.StartNow},
			created: time.Now(),
			claims:  v1alpha1.Claims{Exempt: []v1alpha1.Exemption{{Resources: []string{"leases.coordination.k8s.io"}}}},
		}
		status, _ := m.step(time.Now(), recorder, ready())
		if status.Phase != v1alpha1.TrafficWaiting {
			t.Errorf("of a replica that sent nothing: %s", status.Phase)
		}
		standby := &subject.Running{Name: "subject", Replicas: []string{"subject-1"}}
		if got := until(m, recorder, standby); got.Phase != v1alpha1.TrafficComplete || got.Requests != 0 {
			t.Errorf("got %+v, want a window in which nothing was counted", got)
		}
	})
}

func TestWindowCoversTheResyncPeriodWhereItCan(t *testing.T) {
	for name, tc := range map[string]struct {
		resync, want time.Duration
		covers       bool
	}{
		"no resync":       {0, 10 * time.Second, true},
		"30 s":            {30 * time.Second, 35 * time.Second, true},
		"30 s, not asked": {30 * time.Second, 10 * time.Second, false},
		"too long":        {10 * time.Hour, 10 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			claims := v1alpha1.Claims{}
			claims.Times.Resync.Duration = tc.resync
			m := begin(t, claims, 1, v1alpha1.TrafficSpec{WindowMs: 10_000, CoversResync: tc.covers})
			if m.window != tc.want {
				t.Errorf("window = %s, want %s", m.window, tc.want)
			}
		})
	}
}
