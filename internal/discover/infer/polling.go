package infer

import (
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/verdict/seen"
)

// Two reads belong to one pass over the children if the pause between them is at most onePass,
// or a tenth of the longest pause: a pass may take seconds on a busy machine.
const (
	onePass   = 300 * time.Millisecond
	partOfAll = 10
)

// Polls tells whether the controller reads its main children and watches none of them. Then
// it notices a change only when it reads again.
func (r *Record) Polls() bool {
	watches, lists, gets := r.childrenRead()
	return !watches && lists+gets > 0
}

// childrenRead tells whether the controller watches its main children, and how often it
// lists and gets them.
func (r *Record) childrenRead() (watches bool, lists, gets int) {
	workload := r.MainWorkload()
	for _, q := range r.Account.Requests {
		switch {
		case !isOf(q, workload):
		case q.Verb == history.VerbWatch && q.Succeeded():
			watches = true
		case q.Verb == history.VerbList:
			lists++
		case q.Verb == history.VerbGet:
			gets++
		}
	}
	return watches, lists, gets
}

// Period returns the period at which requests read a workload, if nothing caused them. It
// returns 0 if they show no period.
func Period(requests []history.Request, w v1alpha1.Workload) time.Duration {
	var reads []time.Time
	longest := time.Duration(0)
	for _, q := range requests {
		if !isOf(q, w) || q.Verb != history.VerbGet && q.Verb != history.VerbList {
			continue
		}
		if n := len(reads); n > 0 {
			longest = max(longest, q.Time.Sub(reads[n-1]))
		}
		reads = append(reads, q.Time)
	}
	var pauses []time.Duration // between the first reads of passes
	var first time.Time
	for n, at := range reads {
		if n > 0 && at.Sub(reads[n-1]) <= max(onePass, longest/partOfAll) {
			continue
		}
		if n > 0 {
			pauses = append(pauses, at.Sub(first))
		}
		first = at
	}
	if len(pauses) < 2 {
		return 0
	}
	shortest, most := slices.Min(pauses), slices.Max(pauses)
	if most > shortest*3/2 {
		return 0
	}
	return seen.Configured(most)
}

// slowest is the longest time in which a controller that is woken by a change acts, also on
// a busy machine.
const slowest = 4 * time.Second

// LooksAfter returns how long after a change of its main child the controller looks at it by
// itself, or 0 if such a change wakes it, or if nothing was seen.
func (r *Record) LooksAfter() time.Duration {
	if r.Looked <= slowest {
		return 0
	}
	return seen.Configured(r.Looked)
}

// WritesStatus tells whether the controller wrote the status of an object.
func (r *Record) WritesStatus() bool {
	return slices.ContainsFunc(r.Account.Requests, func(q history.Request) bool {
		return r.isPrimary(q) && q.Subresource == "status" && q.Effect == history.EffectEffective
	})
}

// findPolling finds how often the controller looks at its children by itself. That excuses a
// part of its reads at rest. So a period that was only seen counts only for a controller
// that does not watch its children, or that such a change does not wake; for others, a flag
// must say it.
func (f *finder) findPolling() {
	rest, ok := f.act(Rest)
	if ok && f.Polls() {
		if period := Period(f.during(rest), f.workload); period > 0 {
			f.Spec.Claims.Times.Resync.Duration = period
			f.note("claims.times.resync", Seen, "it watches no %s, and looked at its own that often, with nothing to do", f.workload.Kind)
			return
		}
	}
	if flag, period := resyncFlag(f.Command); period > 0 {
		f.Spec.Claims.Times.Resync.Duration = period
		f.note("claims.times.resync", Read, "%s", flag)
		return
	}
	if period := f.LooksAfter(); period > 0 {
		f.Spec.Claims.Times.Resync.Duration = period
		f.note("claims.times.resync", Seen, "no watch told it of a change of its %s, and it wrote something so long after that change. "+
			"So it looks again after a while, and is not at rest before that", f.workload.Kind)
		return
	}
	f.ask("claims.times.resync", "after which time does it look at all its objects by itself (the resync of its informers, or a flag like --sync-period)? "+
		"With controller-runtime it is 10h, unless its cache is given another SyncPeriod. "+
		"A short look does not show it. The requirements of steady-state and SH-001 wait for it; others of self-healing ask for what a watch shows at once")
}

// resyncFlags are the usual names of the flag for the resync period.
var resyncFlags = []string{
	"resync", "resyncperiod", "resyncinterval", "syncperiod", "syncinterval", "cachesyncperiod", "cacheresyncperiod",
	"reconcileperiod", "reconcileinterval", "informerresync", "informerresyncperiod", "cacheflushinterval",
}

// resyncFlag finds the argument that sets the resync period, and the period. The period is
// 0 if no argument sets it, or if it is not a duration.
func resyncFlag(command []string) (flag string, period time.Duration) {
	for n, arg := range command[min(1, len(command)):] {
		name, value, given := strings.Cut(arg, "=")
		if !strings.HasPrefix(name, "-") || !slices.Contains(resyncFlags, plainFlag(name)) {
			continue
		}
		if next := n + 2; !given && next < len(command) {
			value = command[next]
		}
		if period, err := time.ParseDuration(value); err == nil && period > 0 {
			return name + "=" + value, period
		}
	}
	return "", 0
}

// plainFlag returns the name of a flag in lower case, without dashes, underscores and dots.
func plainFlag(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
}
