package trial

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

const (
	// quietFor is how long the subject must not change anything to be quiet. If it is
	// quiet too early, because the machine is busy, the outcome is compared again until
	// the time is over.
	quietFor = 1200 * time.Millisecond
	// refusedFor is how long an error lasts at least: some controllers try a few times, and
	// give up. A controller whose pauses grow tries again within a few times as long.
	refusedFor = 5 * time.Second
	// subjectPatience is how long a subject may take to start.
	subjectPatience = 45 * time.Second
	// suspect is how long an outcome must differ until that is told, while it is still awaited.
	suspect = 3 * time.Second
	// longestPause is the longest pause between two comparisons.
	longestPause = time.Second
	// sayAfter is for how long a Trial must have been doing something until its status says so.
	// Each time, the API server and the bench have the whole Trial to read.
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
	after       int64  // the last record before its last operation
	afterAt     time.Time
	touched     moment // before it touched its objects, or restarted the subject in the place of that
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
		if restless, err := r.awaitChild(ctx, o); err != nil || restless {
			return err
		}
		if d := r.disturbance; d != nil && i == d.from {
			if r.between = d.showsBetween(o); !r.between {
				if err := r.arm(ctx); err != nil {
					return err
				}
			}
		}
		r.after, r.afterAt = r.Recorder.LastSeq(), time.Now()
		r.say(o.inWords())
		if err := r.do(ctx, o); r.lacks(o, i, err) {
			return nil
		} else if err != nil {
			return err
		}
		if r.armed {
			if err := r.disturbOpen(ctx); err != nil {
				return err
			}
		}
		if restless, err := r.rest(ctx); err != nil || restless {
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
	harm := len(r.divergences) // of before
	if expected != nil && !r.mayRetryLater() {
		known := r.divergences
		if err := r.compare(ctx, expected, r.within, r.spec.Pauses.Duration); err != nil {
			return err
		}
		if r.mayRetryLater() { // something has failed meanwhile
			r.divergences = known
		}
	}
	wrong := len(r.divergences) > harm
	if wrong && r.spec.RestartAtEnd {
		return r.restartAtEnd(ctx, expected)
	}
	var before settling
	if expected == nil {
		if before.last, err = r.takeOutcome(ctx); err != nil {
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
		return r.steady(ctx, before)
	case wrong:
		before := r.divergences
		err := r.compare(ctx, expected, 2*quietFor, 0)
		r.repaired = len(r.divergences) == len(before) // nothing differs any more
		r.divergences = before
		return err
	default:
		return r.compare(ctx, expected, r.within, r.spec.Pauses.Duration)
	}
}

// restartAtEnd restarts the subject, and keeps the differences that this repairs: the process
// before had missed something. What a new process leaves as it is may be so for another reason.
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

// rest waits until the subject is quiet. It returns true if it does not become so, which
// is then a divergence. While the subject is kept in the past, it may do what it
// cannot know to be without effect: that is not a divergence.
func (r *run) rest(ctx context.Context) (restless bool, err error) {
	from, patience := time.Now(), r.within+subjectPatience
	blind := r.armed && r.disturbance.lasts
	if blind {
		patience = r.within
	}
	var least time.Duration
	if blind && r.disturbance.Lasting {
		least = refusedFor
	}
	err = r.await(ctx, patience, "the subject is quiet", func(context.Context) (bool, error) {
		return r.quietSince(from) >= quietFor && time.Since(from) >= least, nil
	})
	if !isLate(err) {
		return false, err
	}
	if blind {
		return false, nil
	}
	found := "it still changes objects"
	if running := r.running(); running == nil || !running.Ready {
		found = "it is not ready"
	}
	r.divergences = append(r.divergences, v1alpha1.Divergence{
		Kind: v1alpha1.DivergenceRestless, Expected: "the subject is ready and quiet", Found: found + " after " + (r.within + subjectPatience).String() + againAndAgain(r.writes(r.after)),
	})
	if r.armed {
		err = r.disarm(ctx)
	} else {
		err = nil
	}
	return true, err
}

// awaited returns the expected outcome, or nil if there is none.
func (r *run) awaited(ctx context.Context) (snapshot.Outcome, error) {
	if r.spec.Undisturbed == nil || r.expected != nil {
		return r.expected, nil
	}
	other := &v1alpha1.Trial{}
	key := types.NamespacedName{Namespace: r.namespace, Name: r.spec.Undisturbed.Trial}
	r.say("waiting for the Trial " + key.Name)
	if err := r.await(ctx, 10*r.within, "the Trial "+key.Name+" is done", func(ctx context.Context) (bool, error) {
		err := r.Reader.Get(ctx, key, other)
		return err == nil && !other.Status.Verdict.IsPending(), err
	}); err != nil {
		return nil, err
	}
	if other.Status.Verdict != v1alpha1.JudgementMet {
		return nil, fmt.Errorf("the Trial %s, which it is compared with, is %s: %s", key.Name, other.Status.Verdict, other.Status.Message)
	}
	expected, err := readOutcome(other.Status.Outcome)
	if err != nil {
		return nil, err
	}
	r.spec.Undisturbed.Deletions = append(slices.Clone(r.spec.Undisturbed.Deletions), other.Status.Deletions...)
	r.spec.Undisturbed.Harms = append(slices.Clone(r.spec.Undisturbed.Harms), HarmsOf(other.Status.Divergences)...)
	return expected, nil
}

// compare compares the outcome until it is as expected, or the time is over. A part of that
// time is for pauses before a retry, and not spent if there is nothing to try again.
func (r *run) compare(ctx context.Context, expected snapshot.Outcome, patience, pauses time.Duration) error {
	r.say("comparing")
	defer r.suspectOf(nil)
	for began := time.Now(); ; {
		outcome, err := r.Outcomes.Outcome(ctx, r.namespace, r.spec.Resources)
		if err != nil {
			return err
		}
		r.outcome = outcome
		differing, err := r.Outcomes.Compare(r.namespace, expected, outcome, r.spec.Undisturbed.Masks)
		if err != nil {
			return err
		}
		differing = append(differing, r.oldGenerations()...)
		waited := time.Since(began)
		if len(differing) == 0 || waited >= patience || waited >= patience-pauses && !r.mayRetry() {
			r.divergences = append(r.divergences, differing...)
			return r.live(ctx)
		}
		if waited >= suspect {
			r.suspectOf(differing)
		}
		select {
		case <-time.After(min(max(2*look, waited/10), longestPause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mayRetryLater says whether the subject may be in a pause that lasts longer than a Trial waits.
func (r *run) mayRetryLater() bool { return r.spec.Wake && r.mayRetry() }

// mayRetry says whether the subject may be in a pause before a retry. If it cannot see the
// present state, it may fail without a request.
func (r *run) mayRetry() bool {
	d := r.disturbance
	return d != nil && d.lasts && !d.Lasting || r.Recorder.IsOwing(r.namespace, r.begun)
}

// suspectOf notes what differs while the outcome is awaited.
func (r *run) suspectOf(differing []v1alpha1.Divergence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.differs = differing[:min(len(differing), mostDivergences)]
}

// say notes what it is doing.
func (r *run) say(doing string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if doing != r.doing {
		r.doing, r.since = doing, time.Now()
	}
}

// reach notes whether the disturbance happened. Once it has, it stays so.
func (r *run) reach(happened bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = r.reached || happened
}

func (r *run) wasReached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reached
}

// status returns the status of the run as it is now.
func (r *run) status() v1alpha1.TrialStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done != nil {
		return *r.done
	}
	if time.Since(r.since) >= sayAfter {
		r.said = r.doing
	}
	return v1alpha1.TrialStatus{
		Phase: v1alpha1.TrialRunning, Verdict: v1alpha1.JudgementPending, Message: r.said, Reached: r.reached, Divergences: r.differs,
	}
}
