package bench_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func disruption(ns string, action v1alpha1.DisruptionAction) *v1alpha1.Disruption {
	d := &v1alpha1.Disruption{ObjectMeta: metav1.ObjectMeta{Namespace: ns, GenerateName: strings.ToLower(string(action)) + "-"}}
	d.Spec.Action = action
	return d
}

// disrupt carries out an action on the only replica, and waits until it is done.
func disrupt(t *testing.T, ns string, action v1alpha1.DisruptionAction, want v1alpha1.DisruptionPhase) *v1alpha1.Disruption {
	t.Helper()
	d := create(t, disruption(ns, action))
	await(t, d, string(want), func(d *v1alpha1.Disruption) bool { return d.Status.Phase == want })
	return d
}

// replicaOf the Subject, as it is written down now.
func replicaOf(t *testing.T, s *v1alpha1.Subject) v1alpha1.ReplicaStatus {
	t.Helper()
	if err := stage.client.Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
		t.Fatal(err)
	}
	return s.Status.Replicas[0]
}

func TestEndedReplicaStaysDownUntilRestarted(t *testing.T) {
	t.Parallel()
	for action, want := range map[v1alpha1.DisruptionAction]struct {
		exit   v1alpha1.Exit
		reason string
	}{
		v1alpha1.ActionKill:      {v1alpha1.Exit{Code: 137, Signal: "SIGKILL"}, "ReplicaKilled"},
		v1alpha1.ActionTerminate: {v1alpha1.Exit{}, "ReplicaTerminated"},
		v1alpha1.ActionInterrupt: {v1alpha1.Exit{}, "ReplicaInterrupted"},
	} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			ns := namespace(t)
			s := create(t, subjectIn(ns, nil))
			await(t, s, "ready", ready(1))
			d := disrupt(t, ns, action, v1alpha1.DisruptionDone)
			// The Subject's status shows it as soon as the Disruption is done.
			r := replicaOf(t, s)
			if r.Phase != v1alpha1.ReplicaExited || r.Readyz || r.LastExit == nil {
				t.Fatalf("replica: %+v", r)
			}
			exit := *r.LastExit
			want.exit.TookMs = exit.TookMs
			if diff := cmp.Diff(want.exit, exit); diff != "" {
				t.Errorf("last exit (-want +got):\n%s", diff)
			}
			wanted := v1alpha1.DisruptionStatus{
				Phase: v1alpha1.DisruptionDone, Verdict: v1alpha1.JudgementMet, Replica: "subject-0", ExitCode: &exit.Code, Signal: exit.Signal, TookMs: exit.TookMs,
				ResourceVersion: d.Status.ResourceVersion, Replicas: []v1alpha1.DisruptedReplica{{Name: "subject-0", Exit: &exit}},
			}
			if diff := cmp.Diff(wanted, d.Status); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if n, err := strconv.ParseUint(d.Status.ResourceVersion, 10, 64); err != nil || n == 0 {
				t.Errorf("resourceVersion %q", d.Status.ResourceVersion)
			}
			if again := disrupt(t, ns, action, v1alpha1.DisruptionFailed); !strings.Contains(again.Status.Message, "it does not run: subject-0: e") {
				t.Errorf("done to one that is down: %+v", again.Status)
			}

			disrupt(t, ns, v1alpha1.ActionRestart, v1alpha1.DisruptionDone)
			await(t, s, "ready again", ready(1))
			if r := s.Status.Replicas[0]; r.Restarts != 0 {
				t.Errorf("%d restarts by itself", r.Restarts)
			}
			events := reasons(ns)
			if strings.Contains(events, "Crashed") || !strings.Contains(events, want.reason+" DisruptionDone") || strings.Contains(events, "DisruptionFailed") {
				t.Errorf("events: %s", events)
			}
		})
	}
}

func TestRestartOfARunningReplica(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Restart = v1alpha1.RestartNever }))
	await(t, s, "ready", ready(1))
	d := disrupt(t, ns, v1alpha1.ActionRestart, v1alpha1.DisruptionDone)
	if d.Status.ExitCode == nil || *d.Status.ExitCode != 0 {
		t.Errorf("status: %+v", d.Status)
	}
	await(t, s, "ready again", ready(1))
	if got := strings.Count(reasons(ns), "ReplicaStarted"); got != 2 {
		t.Errorf("started %d times", got)
	}
}

func TestReplicaThatDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, nil))
	await(t, s, "ready", ready(1))
	o := watchStatus(t, ns)
	create(t, webApp(ns, "demo", "deaf"))
	await(t, o, "deaf", func(o *v1alpha1.Observation) bool { return len(o.Status.Violations) == 1 })

	d := disruption(ns, v1alpha1.ActionTerminate)
	within := int64(300)
	d.Spec.WithinMs = &within
	create(t, d)
	await(t, d, "failed", func(d *v1alpha1.Disruption) bool { return d.Status.Phase == v1alpha1.DisruptionFailed })
	if got := d.Status; got.Signal != "SIGKILL" || got.TookMs < 300 || !strings.Contains(got.Message, "it had to be killed: subject-0 had not ended 300ms after it was told to") {
		t.Errorf("status: %+v", got)
	}
	if strings.Contains(reasons(ns), "DisruptionFailed") {
		t.Error("the bench is blamed for it")
	}
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, nil))
	await(t, s, "ready", ready(1))
	disrupt(t, ns, v1alpha1.ActionPause, v1alpha1.DisruptionDone)
	disrupt(t, ns, v1alpha1.ActionPause, v1alpha1.DisruptionDone) // nothing new
	before := stage.recorder.LastSeq()
	create(t, webApp(ns, "demo", "a:1"))
	o := watchStatus(t, ns)
	for _, r := range stage.recorder.Requests(inScenario(ns, before)) {
		t.Errorf("paused, it asks for %s", r.Path)
	}
	disrupt(t, ns, v1alpha1.ActionResume, v1alpha1.DisruptionDone)
	await(t, o, "served", func(o *v1alpha1.Observation) bool { return len(o.Status.Violations) == 1 })

	// One that is paused can be told to end, and taken down.
	disrupt(t, ns, v1alpha1.ActionPause, v1alpha1.DisruptionDone)
	if d := disrupt(t, ns, v1alpha1.ActionTerminate, v1alpha1.DisruptionDone); *d.Status.ExitCode != 0 {
		t.Errorf("status: %+v", d.Status)
	}
	disrupt(t, ns, v1alpha1.ActionRestart, v1alpha1.DisruptionDone)
	disrupt(t, ns, v1alpha1.ActionPause, v1alpha1.DisruptionDone)
	disrupt(t, ns, v1alpha1.ActionPartition, v1alpha1.DisruptionDone)
	if err := stage.client.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, s)
	if events := reasons(ns); !strings.HasSuffix(events, "ReplicaStopped SubjectStopped") {
		t.Errorf("events: %s", events)
	}
}

func TestPartitionAndHeal(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, nil))
	await(t, s, "ready", ready(1))
	disrupt(t, ns, v1alpha1.ActionPartition, v1alpha1.DisruptionDone)
	cut := stage.recorder.LastSeq()
	// Its watch breaks, and it ends by itself, again and again.
	await(t, s, "restarted", func(s *v1alpha1.Subject) bool { return s.Status.Replicas[0].Restarts >= 2 })
	for _, r := range stage.recorder.Requests(inScenario(ns, cut)) {
		t.Errorf("cut off, it got through with %s", r.Path)
	}
	disrupt(t, ns, v1alpha1.ActionHeal, v1alpha1.DisruptionDone)
	await(t, s, "ready again", ready(1))
	events := reasons(ns)
	if !strings.Contains(events, "ReplicaPartitioned") || strings.Count(events, "ReplicaHealed") != 1 {
		t.Errorf("events: %s", events)
	}
	account := stage.recorder.Account(ns)
	if unordered := account.ServerErrors(); len(unordered) > 0 {
		t.Errorf("taken for errors of the server: %+v", unordered)
	}
}

func TestDisruptionThatCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	nobody := disruption(ns, v1alpha1.ActionKill)
	nobody.Spec.Target = "subject-7"
	create(t, nobody)
	await(t, nobody, "waiting", func(d *v1alpha1.Disruption) bool {
		return d.Status.Phase == v1alpha1.DisruptionPending && d.Status.Message == "there is no Subject in this namespace"
	})
	s := create(t, subjectIn(ns, nil))
	await(t, nobody, "failed", func(d *v1alpha1.Disruption) bool { return d.Status.Phase == v1alpha1.DisruptionFailed })
	if !strings.Contains(nobody.Status.Message, "the subject has no replica subject-7") || !strings.Contains(reasons(ns), "DisruptionFailed") {
		t.Errorf("status: %+v", nobody.Status)
	}
	leader := disruption(ns, v1alpha1.ActionKill)
	leader.Spec.Target = "Leader"
	create(t, leader)
	await(t, leader, "waiting", func(d *v1alpha1.Disruption) bool {
		return d.Status.Phase == v1alpha1.DisruptionPending && d.Status.Message == "the subject has no leader"
	})
	await(t, s, "ready", ready(1))

	for name, edit := range map[string]func(*v1alpha1.DisruptionSpec){
		"unknown action": func(spec *v1alpha1.DisruptionSpec) { spec.Action = "Explode" },
		"no action":      func(spec *v1alpha1.DisruptionSpec) { spec.Action = "" },
		"no time":        func(spec *v1alpha1.DisruptionSpec) { spec.WithinMs = new(int64) },
	} {
		d := disruption(ns, v1alpha1.ActionKill)
		edit(&d.Spec)
		if err := stage.client.Create(t.Context(), d); !apierrors.IsInvalid(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCrashCountsAsAnExitByItself(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, nil))
	await(t, s, "ready", ready(1))
	var crashes sync.WaitGroup
	for range 3 { // requests of one process that all hit the Fault
		crashes.Go(func() {
			if err := stage.bench.Crash(t.Context(), ns, "subject-0"); err != nil {
				t.Error(err)
			}
		})
	}
	crashes.Wait()
	await(t, s, "started again", func(s *v1alpha1.Subject) bool { return s.Status.Replicas[0].Restarts == 1 && s.Status.Ready == 1 })
	events := reasons(ns)
	if strings.Contains(events, "ReplicaCrashed") || strings.Count(events, "ReplicaCrashOrdered") != 1 {
		t.Errorf("events: %s", events)
	}
	if exit := s.Status.Replicas[0].LastExit; exit.Signal != "SIGKILL" {
		t.Errorf("last exit: %+v", exit)
	}
}

// TestEviction: some time after an eviction, a process of another Pod takes the place
// of the evicted one.
func TestEviction(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, nil))
	for range 2 {
		await(t, s, "ready", ready(1)) // a process that has just begun may not handle the signal yet
		d := disrupt(t, ns, v1alpha1.ActionEvict, v1alpha1.DisruptionDone)
		if exit := d.Status.ExitCode; exit == nil || *exit != 0 {
			t.Errorf("status: %+v", d.Status)
		}
	}
	await(t, s, "ready again", ready(1))
	if got := reasons(ns); strings.Count(got, "ReplicaEvicted") != 2 || strings.Count(got, "ReplicaStarted") != 3 || strings.Contains(got, "Crashed") {
		t.Errorf("events: %s", got)
	}
}
