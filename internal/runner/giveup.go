package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

const (
	// minWaited is how long a scenario must have waited, at a time scale of 1, before its wait
	// may be given up. Only a pause between attempts is longer.
	minWaited = 30 * time.Second
	// minLeft is how long a wait must still last: giving up a shorter one saves too little time.
	minLeft = 15 * time.Second
	// waitCheckInterval is the time between two looks at what is waited for.
	waitCheckInterval = 2 * time.Second
	// tellInterval is the same while nothing has failed: the looks then only tell how long it
	// still takes.
	tellInterval = 10 * time.Second
)

// waits follows the scenarios while they run, and gives up a wait that has no chance, for
// one of two reasons. Another scenario has waited for the same thing, and failed because it
// did not come: if the wait ended now, the scenario would be blocked by that other one. Or it
// waits for a child of a kind that the controller makes in no scenario. Either must still be
// so at the end of all scenarios: otherwise the scenario runs again, and waits until the end.
type waits struct {
	run   *run
	after time.Duration // minWaited, scaled

	mu       sync.Mutex
	running  map[string]*progress // by namespace
	failed   map[*Implementation][]verdict.Judged
	givenUp  map[string]givenUp // by namespace
	children map[*Implementation]*barren
}

// givenUp says why a wait was given up: by is the ID of the requirement that has failed
// already, or child is the kind of children that the controller does not make.
type givenUp struct {
	by    string
	child schema.GroupResource
}

// progress is what a scenario is doing now.
type progress struct {
	scenario scenario
	began    time.Time // when the scenario began
	event    chainsaw.Event
	since    time.Time // when this event began
}

func (r *run) newWaits() *waits {
	return &waits{
		run: r, after: time.Duration(float64(minWaited) * r.options.TimeoutScale),
		running: map[string]*progress{}, failed: map[*Implementation][]verdict.Judged{},
		givenUp: map[string]givenUp{}, children: map[*Implementation]*barren{},
	}
}

// follow takes note of what a scenario does. If w is nil, it does nothing.
func (w *waits) follow(s *scenario, event chainsaw.Event, now time.Time) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.running[s.namespace]
	if p == nil {
		p = &progress{scenario: *s, began: now}
		w.running[s.namespace] = p
		children := w.barren(s.implementation)
		children.namespaces = append(children.namespaces, s.namespace)
	}
	if event.Failed != "" && p.event.Failed == "" {
		w.inVain(p, event, now)
		if event.GivenUp != "" {
			w.givenUp[s.namespace] = givenUp{child: schema.ParseGroupResource(event.GivenUp)}
		}
	}
	if event.Kind != chainsaw.Ended {
		if p.event != event {
			p.event, p.since = event, now
		}
		return
	}
	delete(w.running, s.namespace)
}

// note keeps the failure of a scenario that has ended: it may explain why others wait.
func (w *waits) note(found *finding) {
	if !verdict.Fails(found.result.Verdict) || found.Failure == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := found.scenario.implementation
	w.failed[i] = append(w.failed[i], found.judged())
}

// watchAsserts ends asserts without hope, on all benches, again and again until the context
// ends.
func (w *waits) watchAsserts(ctx context.Context) {
	every(ctx, func(now time.Time) {
		for _, ending := range w.hopelessAsserts(now) {
			w.run.endings.End(ending)
		}
	})
}

// watchBench looks at what the objects of a bench wait for, again and again until the context
// ends.
func (w *waits) watchBench(ctx context.Context, bench *bench.Bench) {
	var told time.Time
	every(ctx, func(now time.Time) {
		if !w.any() && now.Sub(told) < tellInterval {
			return
		}
		told = now
		for _, waiting := range bench.Waiting() {
			w.tell(waiting, now)
			if why := w.noChance(waiting); why != "" {
				bench.GiveUp(ctx, waiting, why)
			}
		}
	})
}

// every takes one look after the other until the context ends.
func every(ctx context.Context, look func(now time.Time)) {
	tick := time.NewTicker(waitCheckInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			look(time.Now())
		case <-ctx.Done():
			return
		}
	}
}

// noChance says why an object of the bench waits no longer; or "".
func (w *waits) noChance(waiting objects.Waiting) string {
	if w.hopelessly(waiting, time.Now()) {
		return "given up, as the controller made none in any scenario"
	}
	if by, waited := w.explained(waiting, time.Now()); by != "" {
		return fmt.Sprintf("given up after %s, as %s found the same", waited.Round(time.Second), by)
	}
	return ""
}

// tell shows until when a scenario waits at most, if it does nothing else.
func (w *waits) tell(waiting objects.Waiting, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.running[waiting.Namespace]; p != nil && p.awaits(waiting) {
		w.run.options.Console.Awaits(p.scenario.title(), now.Add(waiting.Left))
	}
}

func (w *waits) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.failed) > 0
}

// explained returns the ID of a failed requirement that explains why this scenario would wait
// without success, and for how long it has waited. If there is one, the wait counts as given
// up, and the console says so. Otherwise the ID is "".
func (w *waits) explained(waiting objects.Waiting, now time.Time) (by string, waited time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.running[waiting.Namespace]
	if p == nil || w.isGivenUp(waiting.Namespace) || waiting.Left < minLeft || !p.awaits(waiting) || len(w.failed[p.scenario.implementation]) == 0 {
		return "", 0
	}
	if waited = now.Sub(p.since); waited < w.after {
		return "", 0
	}
	failure := chainsaw.Failure{
		Step: p.event.Step, Operation: p.event.Operation, Object: p.event.Object, Message: waiting.Message,
		Of: chainsaw.Measured{Kind: waiting.Kind, Resource: waiting.Resource, Name: waiting.Of, Details: waiting.Details},
	}
	found := w.run.asThoughEnded(p.scenario, p.began, now, &failure)
	if by = blockedAmong(w.failed[p.scenario.implementation], found.judged()); by == "" {
		return "", 0
	}
	w.givenUp[waiting.Namespace] = givenUp{by: by}
	w.run.options.Console.Printf("%s is not waited for any longer, because %s failed and it found the same", p.scenario.title(), by)
	return by, waited
}

// gaveUp tells whether the wait of a scenario was given up.
func (w *waits) gaveUp(s scenario) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isGivenUp(s.namespace)
}

// isGivenUp tells whether the wait of a scenario was given up. The lock is held.
func (w *waits) isGivenUp(namespace string) bool { return w.givenUp[namespace] != givenUp{} }

// lacks returns the kind of children that a scenario waited for, if its wait was given up for
// the lack of it and the controller still makes none. Otherwise it is empty.
func (w *waits) lacks(s scenario) schema.GroupResource {
	if w == nil {
		return schema.GroupResource{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	child := w.givenUp[s.namespace].child
	if child.Empty() || !w.barren(s.implementation).of(child) {
		return schema.GroupResource{}
	}
	return child
}

// awaits tells whether a scenario does nothing but wait for an object of the bench.
func (p *progress) awaits(waiting objects.Waiting) bool {
	return p.event.Operation == "assert" &&
		strings.HasSuffix(p.event.Object, "/"+waiting.Kind+" @ "+waiting.String())
}

// blockedAmong returns the ID of the requirement that would block the last one, if these were
// all results; or "".
func blockedAmong(failed []verdict.Judged, last verdict.Judged) string {
	round := make([]verdict.Judged, 0, len(failed)+1)
	for _, judged := range append(slices.Clone(failed), last) {
		result := *judged.Result
		judged.Result = &result
		round = append(round, judged)
	}
	verdict.Settle(round)
	return round[len(failed)].Result.BlockedBy
}

// asThoughEnded judges a scenario as if it had ended now: with this failure, or without one
// (nil).
func (r *run) asThoughEnded(s scenario, began, now time.Time, failure *chainsaw.Failure) finding {
	test := &chainsaw.Test{Name: s.name(), Started: began, Ended: now, Judged: now, Finished: true, Passed: failure == nil}
	var nowhere unreached
	if failure != nil {
		test.Failures, nowhere = []chainsaw.Failure{*failure}, r.unreachedIn(s)
	}
	return r.judge(s, test, nil, nowhere)
}

// judgeEarly judges a scenario that has just ended, while others still run, if waits may be
// ended. Its failure may explain why others wait, and end the run. failure is the first
// operation that failed; nil if none has.
func (r *run) judgeEarly(s *scenario, began, now time.Time, failure *chainsaw.Failure) {
	if r.waits == nil || failure == nil && r.fuse == nil || r.waits.gaveUp(*s) || len(s.unclaimed) > 0 {
		return
	}
	found := r.asThoughEnded(*s, began, now, failure)
	r.waits.note(&found)
	if r.fuse != nil && found.certain(failure) && !r.knows(found.result, now) && r.fuse.blow() {
		r.options.Console.Printf("%s has failed, so no other scenario starts (--fail-fast); those that run come to their end", s.title())
	}
}

// judged returns a finding as settling needs it.
func (f *finding) judged() verdict.Judged {
	return verdict.Judged{
		Requirement: f.scenario.requirement, Result: &f.result, Violations: f.Violations, Failure: f.Failure, Symptoms: f.Symptoms, Without: f.Without,
		Excused: f.Excused,
	}
}

// waitAgain repeats each scenario whose wait was given up, unless another failure still
// explains, at the end of all scenarios, why it did not pass. One that lacked a child which no
// scenario has seen would only lack it again: nothing is concluded from it.
func (r *run) waitAgain(ctx context.Context, dir string, findings []finding, parallel int, look looker) error {
	if !slices.ContainsFunc(findings, func(f finding) bool { return f.gaveUp }) {
		return nil
	}
	var unexplained []int
	for n, f := range settledNow(findings) {
		switch {
		case !f.gaveUp || len(f.scenario.unclaimed) > 0 || f.result.Verdict == v1alpha1.Blocked || f.result.Verdict == v1alpha1.Passed:
		case !f.lacks.Empty() && len(f.Violations) > 0: // they are proved, however long it waited
		case !f.lacks.Empty():
			result := &findings[n].result
			result.Verdict = v1alpha1.ResultInconclusive
			result.Reason += fmt.Sprintf(" (it waited no longer, as the controller made no %s in any scenario)", f.lacks)
		default:
			unexplained = append(unexplained, n)
		}
	}
	if len(unexplained) == 0 {
		return nil
	}
	found, err := r.repeat(ctx, findings, unexplained, "waiting", filepath.Join(dir, "waiting"), parallel, look,
		"their waits were given up, but no other failure explains them any longer: a whole look at")
	if err != nil {
		return err
	}
	for n, f := range found {
		if !f.cut {
			findings[unexplained[n]] = f
		}
	}
	return nil
}
