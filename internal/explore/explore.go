package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// Parallel is how many Trials run side by side.
	Parallel int
	// Adapt has fewer run side by side if the machine is busy.
	Adapt bool
	// Shard is the part of the plans that is carried out; nil means all.
	Shard *v1alpha1.Shard
	// Kept is where everything is kept that is done, and what was done before; nil means
	// that nothing is.
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

	began, trying time.Time
	recordings    []*Recording
	left          []string
	planned       []*Plan
	ways          []string      // of disturbances that were planned, if only some are carried out
	all           int           // plans of all shards
	recording     time.Duration // how long the recordings took
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
	place, err := newPlace(session)
	if err != nil {
		return nil, err
	}
	if target.Profile.ServesCluster() {
		options.Parallel = 1 // Trials of objects without a namespace must run one after the other
	}
	e := &Exploration{target: target, options: options, place: place, began: time.Now(), minimised: map[string]*v1alpha1.Minimised{}}
	if options.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, options.Budget)
		defer cancel()
	}
	if e.restore() {
		options.Console.Done(fmt.Sprintf("going on: %d of %d plans were done before", e.earlier, len(e.planned)))
	} else if err = e.record(ctx); err == nil {
		err = e.recordingDone()
	}
	if err == nil {
		e.trying = time.Now()
		err = e.carryOut(ctx)
	}
	if err == nil {
		e.minimise(ctx)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.cut, err = fmt.Sprintf("the budget of %s was spent", options.Budget), nil
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

// recordOne records the operations of a target, and makes its plans.
func (e *Exploration) recordOne(ctx context.Context, target *Target) ([]*Plan, error) {
	r := &recorder{place: e.place, target: target}
	if e.options.Budget > 0 {
		r.until = e.began.Add(e.options.Budget / mostOperations)
	}
	began := time.Now()
	children, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	e.adapt(time.Since(began))
	r.parallel = e.options.Parallel
	operations, err := target.operations(children)
	if err != nil {
		return nil, err
	}
	operations, base := chosen(operations, e.options.Sorts)
	if len(operations) == 0 {
		return nil, nil
	}
	others := target.others()
	recorded, err := e.recordAll(ctx, r, base)
	if err != nil {
		return nil, err
	}
	backwards, err := target.editsBack(operations)
	if err != nil {
		return nil, err
	}
	anew, err := target.createdSo(operations)
	if err != nil {
		return nil, err
	}
	anotherBeside, err := target.withAnother(operations)
	if err != nil {
		return nil, err
	}
	more := slices.Concat(combined(operations, others, target.elects(), restartIsNeutral(recorded)), markings(operations, recorded), backwards, anew, anotherBeside)
	more = slices.DeleteFunc(more, func(o Operation) bool { return !e.options.combines(o) })
	more, same, err := withoutDoubles(base, more)
	if err != nil {
		return nil, err
	}
	if len(more) > 0 && e.options.Budget > 0 && time.Since(e.began) > e.options.Budget/mostRecording {
		e.left = append(e.left, "two operations after one another, and an operation meanwhile: the budget is too small to record them")
	} else if recorded, err = e.recordMore(ctx, r, recorded, base, more); err != nil {
		return nil, err
	}
	underBothNames(recorded, same)
	plans, err := e.plan(target, operations, recorded, others)
	for _, plan := range plans {
		plan.Resources = r.known()
	}
	return plans, err
}

// usual is how long the first Trial takes on a machine that has not much else to do.
const usual = 8 * time.Second

// adapt has fewer Trials run side by side if the first one, which ran alone, took much longer
// than usual: on a busy machine, many at a time are all slow, and none of them is done when a
// budget is spent.
func (e *Exploration) adapt(took time.Duration) {
	if !e.options.Adapt || took < 2*usual {
		return
	}
	fewer := max(int(float64(e.options.Parallel)*usual.Seconds()/took.Seconds()), 2)
	if fewer < e.options.Parallel {
		e.options.Console.Printf("  the machine is busy: the first run took %s, where about %s is usual; so %d at a time", report.Round(took), usual, fewer)
		e.options.Parallel = fewer
	}
}

// chosen returns the operations of these sorts, which are disturbed, and those that are
// recorded for that. Without sorts all are chosen. The creation and a restart are always
// recorded: an operation that must change nothing is compared with the creation, and the two
// together show whether a restart changes anything.
func chosen(all []Operation, sorts []string) (disturbed, recorded []Operation) {
	for _, o := range all {
		wanted := len(sorts) == 0 || slices.Contains(sorts, o.sort())
		if wanted {
			disturbed = append(disturbed, o)
		}
		if wanted || o.sort() == "create" || o.sort() == "restart" {
			recorded = append(recorded, o)
		}
	}
	return disturbed, recorded
}

// mostRecording limits when the recording of combinations may begin: combinations are left
// out once a quarter of the budget is spent.
const mostRecording = 4

// mostOperations limits all recordings: what is not recorded when half of the budget is spent
// is left out, so that some plans are tried.
const mostOperations = 2

// recordMore records combinations. If they show that the controller writes another kind,
// everything is recorded again.
func (e *Exploration) recordMore(ctx context.Context, r *recorder, recorded map[string]*Recording, base, more []Operation) (map[string]*Recording, error) {
	known, recordings, left := len(r.known()), e.recordings, e.left
	added, err := e.recordAll(ctx, r, more)
	if err != nil {
		return nil, err
	}
	switch {
	case len(r.known()) > known && r.hasTimeFor(time.Since(e.began)):
		return e.recordAll(ctx, r, slices.Concat(base, more))
	case len(r.known()) > known:
		if err := e.leaveOut(r, known, e.recordings); err != nil {
			return nil, err
		}
	}
	e.recordings, e.left = slices.Concat(recordings, e.recordings), slices.Concat(left, e.left)
	maps.Copy(recorded, added)
	return recorded, nil
}

// recordAll records operations. If one shows that the controller writes another kind, all
// are recorded again with that kind.
func (e *Exploration) recordAll(ctx context.Context, r *recorder, operations []Operation) (map[string]*Recording, error) {
	for {
		known, began := len(r.known()), time.Now()
		all, left, err := r.recordAll(ctx, operations)
		if err != nil {
			return nil, err
		}
		e.recordings, e.left = all, left
		switch {
		case len(r.known()) > known && r.hasTimeFor(time.Since(began)):
			e.options.Console.Printf("  it also writes %v: recording again", r.known()[known:])
			continue
		case len(r.known()) > known:
			if err := e.leaveOut(r, known, all); err != nil {
				return nil, err
			}
		}
		byName := map[string]*Recording{}
		for _, recording := range all {
			byName[recording.Name] = recording
		}
		return byName, nil
	}
}

// leaveOut takes resources out of the recordings that were learned of too late: the earlier
// recordings do not have their objects, so these cannot be compared. The first ones, as many as
// known says, stay.
func (e *Exploration) leaveOut(r *recorder, known int, recordings []*Recording) error {
	late := r.forget(known)
	e.options.Console.Printf("  it also writes %v, and there is no time to record everything again: they are not compared", late)
	e.left = append(e.left, fmt.Sprintf("the objects of %s are not compared: the budget is too small to record everything again", strings.Join(late, ", ")))
	for _, recording := range recordings {
		if err := recording.without(late); err != nil {
			return err
		}
	}
	return nil
}

// others are the operations that somebody does while a write is open.
func (t *Target) others() []Other {
	own := t.own()
	all := []Other{{Name: "delete", How: "the object is deleted", Step: v1alpha1.TrialOperation{Delete: &own}}}
	if create, err := t.creation(); err == nil {
		all = append(all, Other{Name: "recreate", How: "the object is deleted and created again", Step: v1alpha1.TrialOperation{Recreate: create.Steps[0].Create}})
	}
	if len(t.Edits) > 0 {
		edit := t.Edits[0]
		if patch, err := encode(edit.Patch); err == nil {
			all = append(all, Other{Name: "edit", How: "its " + edit.Name + " is edited", Step: v1alpha1.TrialOperation{
				Patch: &v1alpha1.TrialPatch{TrialTarget: own, Patch: patch},
			}})
		}
	}
	return all
}

// combined returns operations that are only recorded: an operation with another one after
// it. Their outcome is expected if the other one comes while the first is under way, too. Of
// the edits, only the first is combined: the others would show the same. A restart that is
// neutral changes nothing, so the outcome after it is known without a recording.
func combined(operations []Operation, others []Other, elects, neutral bool) []Operation {
	var all []Operation
	edited := false
	for _, o := range operations {
		sort := o.sort()
		if !slices.Contains([]string{"create", "edit", "delete"}, sort) || sort == "edit" && edited {
			continue
		}
		edited = edited || sort == "edit"
		for _, other := range others {
			if sort == "create" || sort == "edit" && other.Name != "edit" {
				all = append(all, o.after(other.Name, other.Step))
			}
		}
		if !neutral {
			all = append(all, o.restarted())
		}
		if elects && sort != "create" {
			led := o.after("failover", v1alpha1.TrialOperation{Failover: &v1alpha1.Empty{}})
			led.Elects = true
			all = append(all, led)
		}
	}
	return all
}

// plan makes the plans of a target.
func (e *Exploration) plan(target *Target, operations []Operation, recorded map[string]*Recording, others []Other) ([]*Plan, error) {
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil {
			continue // it could not be recorded, which is told
		}
		if len(r.Writes) == 0 {
			e.left = append(e.left, o.Name+": the controller writes nothing after it")
		}
		all = append(all, r.plans()...)
		if e.target.elects() {
			all = append(all, r.leasePlans()...)
		}
		all = append(all, meanwhilePlans(recorded, r, others)...)
		all = append(all, answerPlans(recorded, r, others, target.own())...)
		all = append(all, markPlans(recorded, r)...)
	}
	all = append(all, equalPlans(recorded, operations)...)
	all = append(all, driftPlans(recorded, operations, e.target.Profile.HasContract())...)
	all = append(all, missedPlans(recorded, operations)...)
	all = append(all, bystanderPlans(recorded, operations)...)
	orphans, err := orphanPlans(recorded, operations, target)
	if err != nil {
		return nil, err
	}
	all = append(all, orphans...)
	all = append(all, stalePlans(recorded, operations, target.own())...)
	all = append(all, refusedPlans(recorded, operations)...)
	all = append(all, hangPlans(recorded, operations)...)
	all = append(all, closedPlans(recorded, operations)...)
	gaps, err := gapPlans(recorded, operations)
	if err != nil {
		return nil, err
	}
	told, err := toldPlans(recorded, operations, target)
	if err != nil {
		return nil, err
	}
	backwards, err := backPlans(recorded, operations, target.own())
	if err != nil {
		return nil, err
	}
	anew, err := asNewPlans(recorded, operations, target.own())
	if err != nil {
		return nil, err
	}
	beside, err := anotherPlans(recorded, target.own())
	if err != nil {
		return nil, err
	}
	all = slices.Concat(all, gaps, told, backwards, anew, beside)
	if e.options.Pairs {
		all = append(all, pairPlans(recorded, operations)...)
	}
	return distinct(e.inTheseWays(all))
}

// carryOut carries out the plans side by side, without those that were done before. The
// error says that the bench is broken.
func (e *Exploration) carryOut(ctx context.Context) error {
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
