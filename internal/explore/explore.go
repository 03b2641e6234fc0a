package explore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

// Options of an exploration.
type Options struct {
	// Budget ends the exploration after this time, its recordings included; 0 means never.
	Budget time.Duration
	// Sorts of operations that are disturbed; all if it is empty. See [Sorts].
	Sorts []string
	// Seed of the order of the plans.
	Seed int64
	// Ways are the sorts of disturbances that are planned, such as conflict; empty means all.
	Ways []string
	// Pairs also makes Trials with two disturbances, after all Trials with one.
	Pairs bool
	// Kubernetes is the version of the control plane that was asked for; empty means the default.
	Kubernetes string
	// Parallel is how many Trials run side by side.
	Parallel int
	// Adapt lets fewer Trials run side by side if the machine is busy.
	Adapt bool
	// Shard is the part of the plans that is carried out; nil means all.
	Shard *v1alpha1.Shard
	// Kept stores what is done, for --resume, and has what was done before; nil means that
	// nothing is stored.
	Kept *Kept
	// Console shows the progress.
	Console *report.Console
}

// tellEvery is how often the progress is shown.
const tellEvery = 15 * time.Second

// Exploration is what an exploration has found so far.
type Exploration struct {
	target  *Target
	options Options
	place   *place
	// kubernetes is the version of the API server.
	kubernetes string

	began, trying time.Time
	recordings    []*Recording
	left          []string
	planned       []*Plan
	shown         []*finding    // by the recordings
	ways          []string      // of disturbances that were planned, if only some are carried out
	all           int           // plans of all shards
	recording     time.Duration // how long the recordings took
	carrying      time.Duration // how long the plans took, all together
	before        progress      // of the explorations that this one goes on with
	earlier       int           // plans that were done in them
	places        *places

	mu         sync.Mutex
	done       int
	failed     int
	repeats    int
	tries      int
	findings   []*finding
	once       []*finding // unconfirmed
	unreached  []v1alpha1.UnreachedPlan
	unanswered *v1alpha1.ExploredUnanswered
	broken     []string                       // why plans failed
	inRow      int                            // how many plans failed one after the other, because of the bench
	minimised  map[string]*v1alpha1.Minimised // by ID of the cause
	smaller    []*finding                     // of plans that were made smaller
	warnOnce   sync.Once
	cut        string
	halted     bool // the bench broke
}

// Explore explores a controller on a session. What was found until the context ended, the
// budget was spent, or the bench broke, is in the result. The error says that nothing could
// be explored, or why not all was: it is [IsUnfit] if that is because of the controller or of
// its profile.
func Explore(ctx context.Context, session *runner.Session, target *Target, options Options) (*Exploration, error) {
	if options.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, options.Budget)
		defer cancel()
	}
	place, err := newPlace(ctx, session)
	if err != nil {
		return nil, err
	}
	if target.Profile.ServesCluster() {
		options.Parallel = 1 // Trials of objects without a namespace must run one after the other
	}
	e := &Exploration{target: target, options: options, place: place, kubernetes: session.KubernetesVersion(), began: time.Now(), minimised: map[string]*v1alpha1.Minimised{}}
	if e.restore() {
		options.Console.Done(fmt.Sprintf("going on: %d of %d plans were done before", e.earlier, len(e.planned)))
	} else if err = e.record(ctx); err == nil {
		err = e.recordingDone()
	}
	if err == nil {
		e.trying = time.Now()
		e.concludeShown(ctx)
		err = e.carryOut(ctx)
	}
	if err == nil {
		e.minimise(ctx)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.cut, err = e.spent(), nil
		if left := e.notMinimised(); len(left) > 0 {
			e.left = append(e.left, fmt.Sprintf("a smaller plan of %s: the budget was spent", report.Counted(len(left), "cause")))
		}
	case ctx.Err() != nil:
		e.cut, err = "it was interrupted", nil
	case err != nil:
		e.cut, e.halted = err.Error(), true
	}
	return e, err
}

// IsUnfit says whether an error is about the controller, or its profile, and not about the
// bench.
func IsUnfit(err error) bool {
	var no unfit
	return errors.As(err, &no)
}

// carryOut carries out the plans side by side, without those that were done before, and none that
// would begin too late. The error says that the bench is broken.
func (e *Exploration) carryOut(ctx context.Context) error {
	began := time.Now()
	defer func() { e.carrying = time.Since(began) }()
	left := e.undone()
	e.options.Console.Phase(fmt.Sprintf("carrying out %d plans, %d at a time", len(left), e.options.Parallel))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var telling, workers sync.WaitGroup
	telling.Go(func() { e.tell(ctx) })
	e.places = newPlaces(e.options.Parallel)
	for _, plan := range left {
		at := e.places.take(ctx)
		if at == nil {
			break
		}
		if e.isLate() {
			at.end()
			e.cut = e.spent()
			break
		}
		workers.Go(func() {
			if err := e.judge(ctx, plan, at); err != nil && ctx.Err() == nil {
				e.fail(plan, err.Error())
				if e.brokenBy() {
					stop(fmt.Errorf("%d plans in a row could not be carried out: %w", mostInRow, err))
				}
			}
		})
	}
	workers.Wait()
	err := context.Cause(ctx)
	stop(nil)
	telling.Wait()
	if err == nil {
		e.options.Console.Done(e.progress())
	}
	return err
}

// mostInRow is how many plans may fail one after the other, because of the bench, until
// nothing more is tried.
const mostInRow = 20

// brokenBy counts a plan that the bench could not carry out, and says whether there were
// too many in a row.
func (e *Exploration) brokenBy() (broken bool) {
	e.count(func() {
		e.inRow++
		broken = e.inRow >= mostInRow
	})
	return broken
}

// tell shows the progress from time to time.
func (e *Exploration) tell(ctx context.Context) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.options.Console.Printf("  %s", e.progress())
		case <-ctx.Done():
			return
		}
	}
}

// progress says in words how far it is.
func (e *Exploration) progress() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	ended := e.done + len(e.unreached) + e.failed
	text := fmt.Sprintf("%d of %d plans, %d diverge", ended, len(e.planned), len(e.findings))
	if len(e.unreached) > 0 {
		text += fmt.Sprintf(", %d never got there", len(e.unreached))
	}
	if left := e.timeLeft(ended - e.earlier); left > 0 && ended < len(e.planned) {
		text += fmt.Sprintf(", about %s left", report.Round(left))
	}
	return text
}

// timeLeft guesses how long the rest takes. The lock is held.
func (e *Exploration) timeLeft(ended int) time.Duration {
	if ended < e.options.Parallel {
		return 0
	}
	left := time.Since(e.trying) / time.Duration(ended) * time.Duration(len(e.planned)-e.earlier-ended)
	if e.options.Budget > 0 {
		left = min(left, e.options.Budget-time.Since(e.began))
	}
	return left
}

// toConfirm is which part of the budget is kept, at its end, for second tries of what has diverged,
// and mostToConfirm how long that is at most.
const (
	toConfirm     = 6
	mostToConfirm = time.Minute
)

// isLate says whether no plan may begin any more: if it diverged, there would be no time to try it
// again.
func (e *Exploration) isLate() bool {
	budget := e.options.Budget
	return budget > 0 && time.Since(e.began) > budget-min(budget/toConfirm, mostToConfirm)
}

// spent says that the budget was spent.
func (e *Exploration) spent() string {
	return fmt.Sprintf("the budget of %s was spent", e.options.Budget)
}
