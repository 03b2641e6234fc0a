package trial

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

const (
	// quietFor is how long the subject must not change anything to be quiet. On a busy machine
	// it may seem quiet too early, so the outcome is compared again until the time is over.
	quietFor = 1200 * time.Millisecond
	// refusedFor is the shortest time for which an error lasts. Some controllers try a few times
	// in it, and give up. One whose pauses grow tries again within a few times this time.
	refusedFor = 5 * time.Second
	// subjectPatience is how long a subject may take to start.
	subjectPatience = 45 * time.Second
	// suspect is how long an outcome must differ from the expected one until the status says
	// so. The Trial may still wait for it to become equal.
	suspect = 3 * time.Second
	// longestPause is the longest pause between two comparisons.
	longestPause = time.Second
	// sayAfter is how long a Trial must have been doing something until its status says so. It
	// is not at once, because for each update the API server and the bench read the whole Trial.
	sayAfter = time.Second
)

// run is a Trial in progress.
type run struct {
	*Controller
	name, namespace string
	spec            v1alpha1.TrialSpec
	within          time.Duration
	operations      []operation
	disturbance     *disturbance
	expected        snapshot.Outcome // nil if another Trial gives it, or if nothing is expected
	began           time.Time

	// These are only used by the goroutine that carries it out.
	armed       bool
	between     bool // the disturbance comes into force within its operation: see [run.recreate]
	missed      bool // the disturbance did not happen in time
	disruptions int
	changed     string // what a drift has changed
	begun       int64  // the last record before its first operation
	after       int64  // the last record before its last operation, or the one that is carried out
	afterAt     time.Time
	touched     moment // just before it touched its objects, or restarted the subject instead
	outcome     snapshot.Outcome
	divergences []v1alpha1.Divergence
	repaired    bool
	unanswered  *v1alpha1.Unanswered
	seen        *timeline
	living      map[types.UID]bool // objects that were there at the end, and were not being deleted
	versions    map[string][]version
	struck      time.Time // when the disturbance first hit a request; zero: it did not
	answered    time.Time // when that request was answered
	restarted   time.Time // when a process of the subject was last started, or ended

	mu      sync.Mutex
	doing   string
	since   time.Time             // when it began to do that
	said    string                // what its status says that it is doing
	differs []v1alpha1.Divergence // while the outcome is awaited
	reached bool
	done    *v1alpha1.TrialStatus
}

// carryOut carries out a Trial. An error means that it proves nothing.
func (r *run) carryOut(ctx context.Context) (err error) {
	defer func() {
		// What is in force must end with the Trial, however that ends.
		if ended := r.disarm(context.WithoutCancel(ctx)); err == nil && ctx.Err() == nil {
			err = ended
		}
	}()
	r.say("waiting for the subject")
	if err := r.await(ctx, subjectPatience, "the subject is ready", func(context.Context) (bool, error) {
		running := r.running()
		return running != nil && running.Ready, nil
	}); err != nil {
		return err
	}
	if r.disturbance == nil {
		r.reach(true)
	}
	if r.seen, err = r.follow(ctx); err != nil {
		return err
	}
	defer func() { r.versions = r.seen.end() }()
	r.begun = r.Recorder.LastSeq()
	for i, o := range r.operations {
		if over, err := r.operate(ctx, i, o); err != nil || over {
			return err
		}
		if i == len(r.operations)-1 {
			break
		}
		if restless, err := r.awaitWork(ctx); err != nil || restless {
			return err
		}
	}
	return r.conclude(ctx)
}

// operate carries out one operation, disturbed if the disturbance begins with it, and waits
// until the subject is quiet. It returns true if the Trial is over, because a divergence
// makes the operations after it pointless.
func (r *run) operate(ctx context.Context, at int, o operation) (over bool, err error) {
	if restless, err := r.awaitChild(ctx, o); err != nil || restless {
		return restless, err
	}
	if d := r.disturbance; d != nil && at == d.from {
		r.between = d.showsBetween(o)
		if !r.between {
			if err := r.arm(ctx); err != nil {
				return false, err
			}
		}
	}
	r.after, r.afterAt = r.Recorder.LastSeq(), time.Now()
	r.say(o.inWords())
	if err := r.do(ctx, o); r.lacks(o, at, err) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	if r.armed {
		if err := r.disturbOpen(ctx); err != nil {
			return false, err
		}
	}
	return r.rest(ctx)
}

// conclude ends the disturbance, makes the subject act once more, and takes the
// outcome.
func (r *run) conclude(ctx context.Context) error {
	if restless, err := r.awaitPoint(ctx); err != nil || restless {
		return err
	}
	lasted := r.armed && r.disturbance.lasts
	if err := r.disarm(ctx); err != nil {
		return err
	}
	if lasted {
		if restless, err := r.rest(ctx); err != nil || restless {
			return err
		}
	}
	expected, err := r.awaited(ctx)
	if err != nil {
		return err
	}
	earlier := len(r.divergences) // divergences, before the outcome is compared
	if expected != nil && !r.mayRetryLater() {
		if err := r.compare(ctx, expected, r.within, r.spec.Pauses.Duration); err != nil {
			return err
		}
		if r.mayRetryLater() { // something has failed meanwhile
			r.divergences = r.divergences[:earlier]
		}
	}
	wrong := len(r.divergences) > earlier
	if wrong && r.spec.RestartAtEnd {
		return r.restartAtEnd(ctx, expected)
	}
	var untouched settling
	if expected == nil {
		if untouched.last, err = r.takeOutcome(ctx); err != nil {
			return err
		}
	}
	if err := r.touch(ctx); err != nil {
		return err
	}
	if restless, err := r.rest(ctx); err != nil || restless {
		return err
	}
	switch {
	case expected == nil:
		return r.steady(ctx, untouched)
	case wrong:
		found := r.divergences
		err := r.compare(ctx, expected, 2*quietFor, 0)
		r.repaired = len(r.divergences) == len(found) // nothing differs any more
		r.divergences = found
		return err
	default:
		return r.compare(ctx, expected, r.within, r.spec.Pauses.Duration)
	}
}

// restartAtEnd restarts the subject, and keeps only the differences that this repairs: they
// show that the old process had missed something. What a new process does not repair may have
// another reason.
func (r *run) restartAtEnd(ctx context.Context, expected snapshot.Outcome) error {
	before := r.divergences
	r.touched = r.now()
	if err := r.disrupt(ctx, v1alpha1.DisruptionSpec{Target: v1alpha1.TargetAll, Action: v1alpha1.ActionRestart}); err != nil {
		return err
	}
	if restless, err := r.rest(ctx); err != nil || restless {
		return err
	}
	r.divergences = nil
	if err := r.compare(ctx, expected, r.within, r.spec.Pauses.Duration); err != nil {
		return err
	}
	r.divergences = repairedOf(before, r.divergences)
	r.repaired = len(r.divergences) > 0
	return nil
}

// repairedOf returns the differences that are not left.
func repairedOf(before, left []v1alpha1.Divergence) []v1alpha1.Divergence {
	return slices.DeleteFunc(slices.Clone(before), func(d v1alpha1.Divergence) bool {
		return slices.ContainsFunc(left, func(still v1alpha1.Divergence) bool { return d.Object == still.Object && d.Path == still.Path })
	})
}
