package explore

import (
	"context"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// restore takes over what earlier explorations have saved. It tells whether they had
// recorded everything: otherwise this exploration starts from the beginning.
func (e *Exploration) restore() bool {
	kept := e.options.Kept
	if kept == nil {
		return false
	}
	if lost := kept.lost(); lost != "" {
		e.options.Console.Warn("%s", lost)
	}
	e.before = kept.progress
	e.place.number.Store(kept.progress.Namespaces) // lower numbers are in the logs of earlier explorations
	if kept.recorded == nil {
		kept.endings, kept.smaller = nil, nil // nobody knows what their plans were compared with
		return false
	}
	r := kept.recorded
	e.recordings, e.left, e.all, e.recording = r.Recordings, r.Left, r.All, r.Took
	e.planned, e.repeats = r.plans(), kept.progress.Repeats
	if e.options.Adapt && r.Parallel > 0 {
		e.options.Parallel = min(e.options.Parallel, r.Parallel)
	}
	for _, plan := range e.planned {
		was, done := kept.endingOf(plan)
		if !done {
			continue
		}
		e.earlier++
		switch {
		case was.Unreached != "":
			e.unreached = append(e.unreached, v1alpha1.UnreachedPlan{Plan: plan.InWords(), Reason: was.Unreached})
		case was.Finding == nil:
			e.done++
			e.hear(was.Unanswered)
		default:
			e.done++
			e.hear(was.Finding.Status.Unanswered)
			e.found(was.Finding.finding(plan))
		}
	}
	for id, was := range kept.smaller {
		e.takeSmaller(id, was)
	}
	return true
}

// takeSmaller takes over the result of making a plan smaller.
func (e *Exploration) takeSmaller(id string, was ending) {
	e.minimised[id] = was.Minimised
	if was.Smaller == nil || was.Finding == nil {
		return
	}
	e.smaller = append(e.smaller, was.Finding.finding(&was.Smaller.Plan))
}

// found adds a finding.
func (e *Exploration) found(f *finding) {
	if f.confirmed {
		e.findings = append(e.findings, f)
	} else {
		e.once = append(e.once, f)
	}
}

// endingOf returns the result of a plan in an earlier exploration.
func (k *Kept) endingOf(plan *Plan) (was ending, done bool) {
	if k == nil {
		return ending{}, false
	}
	digest, err := plan.digest()
	if err != nil {
		return ending{}, false
	}
	was, done = k.endings[digest]
	return was, done
}

// undone returns the plans that were not done before, in order.
func (e *Exploration) undone() []*Plan {
	var left []*Plan
	for _, plan := range e.planned {
		if _, done := e.options.Kept.endingOf(plan); !done && !e.isShown(plan) {
			left = append(left, plan)
		}
	}
	return left
}

// recordingDone leaves the plans of other shards out, and keeps what was recorded.
func (e *Exploration) recordingDone() error {
	e.all, e.recording = len(e.planned), time.Since(e.began)
	plans := e.plansByOperation()
	for _, recording := range e.recordings {
		recording.Plans = plans[recording.Name]
	}
	if e.options.Shard != nil {
		var own []*Plan
		for _, plan := range e.planned {
			in, err := plan.in(e.options.Shard)
			if err != nil {
				return err
			}
			if in {
				own = append(own, plan)
			}
		}
		e.planned = order(own, e.options.Seed)
	}
	if e.options.Kept == nil {
		return nil
	}
	r := recorded{Recordings: e.recordings, All: e.all, Left: e.left, Took: e.recording, Parallel: e.options.Parallel}
	r.Plans, r.Objects = keepPlans(e.planned)
	line := struct {
		Recorded recorded `json:"recorded"`
		progress
	}{r, e.progressNow()}
	if err := e.options.Kept.add(line); err != nil {
		e.warnOfKept()
	}
	return nil
}

// warnOfKept says once that something could not be kept.
func (e *Exploration) warnOfKept() {
	e.warnOnce.Do(func() { e.options.Console.Warn("%s", e.options.Kept.broken()) })
}

// keep keeps the result of a plan, unless it was to be carried out again.
func (e *Exploration) keep(ctx context.Context, plan *Plan, what ending) {
	cutShort := ctx.Err() != nil && what.Finding != nil && !what.Finding.Confirmed
	if e.options.Kept == nil || cutShort {
		return
	}
	var err error
	if what.Plan, err = plan.digest(); err == nil {
		what.progress = e.progressNow()
		err = e.options.Kept.add(what)
	}
	if err != nil {
		e.warnOfKept()
	}
}

// progressNow is what this exploration and those before have done.
func (e *Exploration) progressNow() progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return progress{Took: e.before.Took + time.Since(e.began), Repeats: e.repeats, Namespaces: e.place.number.Load()}
}

// missed counts a plan that never got to its point.
func (e *Exploration) missed(ctx context.Context, plan *Plan, why string) {
	e.count(func() { e.unreached = append(e.unreached, v1alpha1.UnreachedPlan{Plan: plan.InWords(), Reason: why}) })
	e.keep(ctx, plan, ending{Unreached: why})
}
