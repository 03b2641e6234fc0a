package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// slowly is how long the API server takes for a create that must be waited for.
	slowly = 2 * time.Second
	// late is how long it may take within the grace period, which is 10 s in the labs.
	late = 7 * time.Second
	// idle is how long a process may still run when its last reconcile has finished.
	idle = 1500 * time.Millisecond
	// queuedWebApps is how many WebApps wait in the queue when the signal comes, and begun how
	// many of them may be begun after it: a worker may be just about to take one.
	queuedWebApps, begun = 5, 2
	// unknown says that nobody has looked between the signal and the end.
	unknown = -1
)

// shutdown checks what happens to a running reconcile when the process is told to end.
func shutdown() play {
	return play{arguments: []string{"--pretend-work=800ms"}, apart: map[string]bool{"shutdown/long": true}, rules: []rule{
		{"shutdown/finishes", "told to end by SIGTERM while a reconcile runs, it finishes that one before it ends", terminated},
		{"shutdown/begins-none", "told to end by SIGTERM, it begins no other reconcile", beginsNone},
		{"shutdown/interrupt", "told to end by SIGINT (Ctrl+C) while a reconcile runs, it finishes that one, too", interrupted},
		{"shutdown/soon", "ends as soon as the running reconciles have finished", soon},
		{"shutdown/long", fmt.Sprintf("told to end by SIGTERM while a create gets no answer for %s, it finishes that reconcile, too", late), terminatedLate},
	}}
}

// terminated has the process get SIGTERM while a create gets no answer for a while, and
// other WebApps wait in the queue.
func terminated(ctx context.Context, s *stage) error {
	if err := s.delayCreate(ctx, "first", slowly); err != nil {
		return err
	}
	return s.finishes(ctx, v1alpha1.ActionTerminate, "first", queuedWebApps)
}

// delayCreate makes a Fault that delays the create of a Deployment.
func (s *stage) delayCreate(ctx context.Context, name string, by time.Duration) error {
	return s.onCreate(ctx, "deployments.apps", name, map[string]any{"delayMs": by.Milliseconds()})
}

// terminatedLate starts the controller again, and has it end while a create takes most of the grace
// period.
func terminatedLate(ctx context.Context, s *stage) error {
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	const name = "third"
	if err := s.delayCreate(ctx, name, late); err != nil {
		return err
	}
	return s.finishes(ctx, v1alpha1.ActionTerminate, name, 0)
}

func beginsNone(_ context.Context, s *stage) error {
	if s.begun == unknown {
		return errTooSlow
	}
	if s.begun > begun {
		return &unmet{found: fmt.Sprintf("%d WebApps waited in the queue when SIGTERM came, and after that it began to reconcile %d of them; %s",
			queuedWebApps, s.begun, s.lastWords(6))}
	}
	return nil
}

// interrupted starts the controller again, and checks that it does the same when it
// gets SIGINT.
func interrupted(ctx context.Context, s *stage) error {
	for n := range queuedWebApps {
		if err := s.remove(ctx, queued(n)); err != nil {
			return err
		}
	}
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.finishes(ctx, v1alpha1.ActionInterrupt, "second", 0)
}

// soon looks at how the process has ended after SIGINT, when no request took long.
func soon(_ context.Context, s *stage) error {
	if most := expectation.Scaled(idle, max(1, s.factor)); s.idled > most {
		return &unmet{found: fmt.Sprintf("it ended %s after its last reconcile had finished: it must wait for the workers, and not for a time",
			rounded(s.idled))}
	}
	return nil
}

// finishes tells the process to end while it reconciles a new WebApp, and others wait.
func (s *stage) finishes(ctx context.Context, action v1alpha1.DisruptionAction, name string, others int) error {
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.expect(ctx, "Started", name, 0); err != nil {
		return err
	}
	for n := range others {
		if err := s.create(ctx, queued(n)); err != nil {
			return err
		}
	}
	type sample struct {
		taken   time.Time
		started int
	}
	var samples []sample // On a busy machine the signal comes late, and others are begun before it.
	done := time.Time{}
	ended, err := s.disrupt(ctx, action, func() {
		samples = append(samples, sample{time.Now(), s.started(others)})
		if lines := s.lines(); done.IsZero() && count(lines, s.about("Finished", name)) >= count(lines, s.about("Started", name)) {
			done = time.Now()
		}
	})
	if err != nil {
		return err
	}
	told, end := s.ending(ended)
	s.begun = unknown
	if n := slices.IndexFunc(samples, func(s sample) bool { return !s.taken.Before(told) }); n >= 0 {
		s.begun = s.started(others) - samples[n].started
	}
	if s.idled = 0; !done.IsZero() {
		s.idled = end.Sub(done)
	}
	lines := s.lines()
	if started, finished := count(lines, s.about("Started", name)), count(lines, s.about("Finished", name)); finished >= started {
		if !done.IsZero() && done.Before(told) {
			return errTooSlow // It was told to end only when it had finished.
		}
		return s.done(ctx, name)
	}
	found := "it ended in the middle of a reconcile: Started, and not Finished"
	if ended.Signal == signalOf(action) {
		found += fmt.Sprintf(" (%s ended it at once, as nobody in it listens for that)", ended.Signal)
	}
	return &unmet{found: found}
}

func queued(n int) string { return fmt.Sprintf("queued-%d", n) }

// started counts how often a reconcile of the waiting WebApps was started.
func (s *stage) started(others int) (n int) {
	lines := s.lines()
	for other := range others {
		n += count(lines, s.about("Started", queued(other)))
	}
	return n
}

// done tells whether a reconcile that has finished has done what it was for.
func (s *stage) done(ctx context.Context, name string) error {
	if done, err := s.there(ctx, name); done || err != nil {
		return err
	}
	return &unmet{found: "it finished the reconcile, and has not made the Deployment: its requests were broken off; " + s.lastWords(6)}
}

// interrupt checks how a process ends after Ctrl+C. It knows nothing of what the process
// prints.
func interrupt() play {
	return play{rules: []rule{
		{"interrupt/by-itself", "told to end by SIGINT (Ctrl+C), it ends by itself, in time, and with status 0", byItself},
	}}
}

func byItself(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "first"); err != nil {
		return err
	}
	if err := first(s.served(ctx, "first", s.patience)); err != nil {
		return err
	}
	ended, err := s.disrupt(ctx, v1alpha1.ActionInterrupt)
	if err != nil {
		return err
	}
	const interrupted = 130 // the status that shells give, and some runtimes
	switch code := ended.ExitCode; {
	case ended.Phase == v1alpha1.DisruptionFailed:
		return &unmet{found: ended.Message}
	case ended.Panic:
		return &unmet{found: "it ended in a panic; " + s.lastWords(6)}
	case ended.Signal != "":
		return &unmet{found: fmt.Sprintf("%s ended it at once, as nobody in it listens for that", ended.Signal)}
	case code != nil && *code != 0 && *code != interrupted:
		return &unmet{found: fmt.Sprintf("it ended with status %d; %s", *code, s.lastWords(6))}
	}
	return nil
}

func signalOf(action v1alpha1.DisruptionAction) string {
	if action == v1alpha1.ActionInterrupt {
		return "SIGINT"
	}
	return "SIGTERM"
}

// ending returns when a Disruption told the process to end, and when it had ended.
func (s *stage) ending(how v1alpha1.DisruptionStatus) (told, ended time.Time) {
	ended = time.Now()
	for _, e := range s.recorder.Events(s.namespace) {
		if e.Reason == history.ReplicaTerminated || e.Reason == history.ReplicaInterrupted {
			ended = e.Time
		}
	}
	return ended.Add(-time.Duration(how.TookMs) * time.Millisecond), ended
}

// disrupt does something to the process, and returns how it went. Until then, it does what
// is to be done meanwhile. A process that does not end when it is told to is unmet.
func (s *stage) disrupt(ctx context.Context, action v1alpha1.DisruptionAction, meanwhile ...func()) (
	status v1alpha1.DisruptionStatus, err error,
) {
	s.disruptions++
	name := fmt.Sprintf("disruption-%d", s.disruptions)
	if err := s.bench(ctx, "disruptions", "Disruption", name, map[string]any{"action": string(action)}); err != nil {
		return status, err
	}
	var told v1alpha1.Disruption
	long := s.patience + late
	err = s.await(ctx, long, func() (bool, error) {
		for _, do := range meanwhile {
			do()
		}
		err := s.get(ctx, "disruptions", name, &told)
		return told.Status.Phase == v1alpha1.DisruptionDone || told.Status.Phase == v1alpha1.DisruptionFailed, err
	})
	switch tooLong := wait.Interrupted(err) && ctx.Err() == nil; {
	case tooLong && action == v1alpha1.ActionRestart:
		return status, &unmet{found: fmt.Sprintf("it could not be started again within %s; %s", long, s.lastWords(6))}
	case tooLong:
		return status, &unmet{found: fmt.Sprintf("it has not ended %s after %s; %s", long, signalOf(action), s.lastWords(6))}
	case err != nil:
		return status, fmt.Errorf("looking how the process ended: %w", err)
	}
	return told.Status, nil
}
