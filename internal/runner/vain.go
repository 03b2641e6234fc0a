package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

const (
	// vainAfter is how long a scenario must have waited, at a time scale of 1, before its wait
	// can be in vain: it is long enough for all but a pause between attempts.
	vainAfter = 30 * time.Second
	// worthWhile is how long a wait must still last for its end to be worth while.
	worthWhile = 15 * time.Second
	// vainEvery is the time between two looks at what is waited for.
	vainEvery = 2 * time.Second
)

// vain ends waits that are in vain: a scenario waits for what another one has waited for,
// and has failed for want of. If the wait ended now, the scenario would be blocked by that
// other one, so it is ended. At the end of all scenarios this must still be so: otherwise
// the scenario runs again, and waits.
type vain struct {
	run   *run
	after time.Duration // see vainAfter

	mu      sync.Mutex
	running map[string]*progress // by namespace
	failed  map[*Implementation][]verdict.Judged
	ended   map[string]string // the title of what explains it, by namespace
}

// progress is where a scenario is.
type progress struct {
	scenario scenario
	began    time.Time // of the scenario
	event    chainsaw.Event
	since    time.Time // it has been doing this
}

func (r *run) newVain() *vain {
	return &vain{
		run: r, after: time.Duration(float64(vainAfter) * r.options.TimeoutScale),
		running: map[string]*progress{}, failed: map[*Implementation][]verdict.Judged{}, ended: map[string]string{},
	}
}

// follow takes news of a scenario. A vain that is nil takes them, too.
func (v *vain) follow(s *scenario, event chainsaw.Event, now time.Time) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.running[s.namespace]
	if p == nil {
		p = &progress{scenario: *s, began: now}
		v.running[s.namespace] = p
	}
	if event.Kind != chainsaw.Ended {
		if p.event != event {
			p.event, p.since = event, now
		}
		return
	}
	delete(v.running, s.namespace)
}

// note keeps the failure of a scenario that has ended: it may explain why others wait.
func (v *vain) note(found *finding) {
	if !verdict.Fails(found.result.Verdict) || found.Failure == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	i := found.scenario.implementation
	v.failed[i] = append(v.failed[i], found.judged())
}

// watch looks at what is waited for, again and again until the context ends.
func (v *vain) watch(ctx context.Context, bench *bench.Bench) {
	tick := time.NewTicker(vainEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if !v.any() {
			continue
		}
		for _, waiting := range bench.Waiting() {
			if by, waited := v.explained(waiting, time.Now()); by != "" {
				bench.GiveUp(ctx, waiting, fmt.Sprintf("given up after %s, as %s found the same", waited.Round(time.Second), by))
			}
		}
	}
}

func (v *vain) any() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.failed) > 0
}

// explained returns the title of a scenario that explains why another one waits in vain, and
// for how long that has waited. It returns "" if there is none, and notes and tells if there
// is one.
func (v *vain) explained(waiting objects.Waiting, now time.Time) (by string, waited time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.running[waiting.Namespace]
	if p == nil || v.ended[waiting.Namespace] != "" || waiting.Left < worthWhile || !p.awaits(waiting) || len(v.failed[p.scenario.implementation]) == 0 {
		return "", 0
	}
	if waited = now.Sub(p.since); waited < v.after {
		return "", 0
	}
	failure := chainsaw.Failure{
		Step: p.event.Step, Operation: p.event.Operation, Object: p.event.Object, Message: waiting.Message,
		Of: chainsaw.Measured{Kind: waiting.Kind, Resource: waiting.Resource, Name: waiting.Of, Details: waiting.Details},
	}
	found := v.run.asThoughEnded(p.scenario, p.began, now, &failure)
	if by = blockedAmong(v.failed[p.scenario.implementation], found.judged()); by == "" {
		return "", 0
	}
	v.ended[waiting.Namespace] = by
	v.run.options.Console.Printf("%s is not waited for any longer, because %s failed and it found the same", p.scenario.title(), by)
	return by, waited
}

// hasEnded tells whether the wait of a scenario was ended.
func (v *vain) hasEnded(s scenario) bool {
	if v == nil {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ended[s.namespace] != ""
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

// asThoughEnded judges a scenario as though it had ended now, with this failure or with none
// (nil).
func (r *run) asThoughEnded(s scenario, began, now time.Time, failure *chainsaw.Failure) finding {
	test := &chainsaw.Test{Name: s.name(), Started: began, Ended: now, Judged: now, Finished: true, Passed: failure == nil}
	if failure != nil {
		test.Failures = []chainsaw.Failure{*failure}
	}
	return r.judge(s, test, nil)
}

// judgeEarly judges a scenario that has just ended, while others still run, if waits may be
// ended. Its failure may explain why others wait, and end the run. failure is the first
// operation that failed; nil if none has.
func (r *run) judgeEarly(s *scenario, began, now time.Time, failure *chainsaw.Failure) {
	if r.vain == nil || failure == nil && r.fuse == nil || r.vain.hasEnded(*s) || len(s.unclaimed) > 0 {
		return
	}
	found := r.asThoughEnded(*s, began, now, failure)
	r.vain.note(&found)
	if r.fuse != nil && found.certain(failure) {
		r.fuse.blow()
	}
}

// judged returns a finding as settling needs it.
func (f *finding) judged() verdict.Judged {
	return verdict.Judged{
		Requirement: f.scenario.requirement, Result: &f.result, Violations: f.Violations, Failure: f.Failure, Symptoms: f.Symptoms, Without: f.Without,
		Excused: f.Excused,
	}
}

// waitAgain repeats scenarios whose wait was ended though, in the end, nothing else explains
// why they did not pass.
func (r *run) waitAgain(ctx context.Context, dir string, findings []finding, parallel int, look looker) error {
	if !slices.ContainsFunc(findings, func(f finding) bool { return f.vain }) {
		return nil
	}
	var unexplained []int
	for n, f := range trial(findings) {
		if f.vain && f.result.Verdict != v1alpha1.Blocked {
			unexplained = append(unexplained, n)
		}
	}
	if len(unexplained) == 0 {
		return nil
	}
	found, err := r.repeat(ctx, findings, unexplained, "waiting", filepath.Join(dir, "waiting"), parallel, look,
		"they were not waited for, and nothing explains them any longer: a whole look at")
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
