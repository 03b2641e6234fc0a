package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
)

const (
	// mostDivergences is how many a status lists.
	mostDivergences = 50
	// mostRequests is how many requests a status lists.
	mostRequests = 30
	// mostTold is how many divergences a message names.
	mostTold = 3
	// A disturbed subject may send so many times as many writes, and so many more.
	timesWrites, moreWrites = 10, 30
)

// end writes the status of a Trial that is over.
func (r *run) end(ctx context.Context, err error) {
	status := v1alpha1.TrialStatus{Phase: v1alpha1.TrialDone, TookMs: time.Since(r.began).Milliseconds(), After: r.after, Until: r.Recorder.LastSeq()}
	account := r.account()
	if failed := account.ServerErrors(); err == nil && len(failed) > 0 {
		err = fmt.Errorf("the API server failed without an order: %s: %d %s", failed[0].InWords(), failed[0].Code, failed[0].Message)
	}
	if err == nil {
		status.Outcome, err = r.outcome.JSON()
	}
	status.Reached, status.Unanswered = r.wasReached(), r.unanswered
	names := history.GeneratedIn(r.Recorder.Account(r.namespace).Requests)
	status.Deletions = deletions(account.Requests, names)
	status.Writes = int32(len(r.writes(r.after)))
	switch {
	case ctx.Err() != nil && err != nil:
		status.Phase, status.Verdict, status.Message = v1alpha1.TrialInvalid, v1alpha1.JudgementInvalid, "it was ended"
	case isRefused(err):
		status.Verdict, status.Message = v1alpha1.JudgementInvalid, err.Error()
	case err != nil:
		status.Phase, status.Verdict, status.Message = v1alpha1.TrialInvalid, v1alpha1.JudgementInvalid, err.Error()
	case !status.Reached:
		status.Verdict = v1alpha1.JudgementInvalid
		status.Message = "the disturbance never happened: " + r.unreached(account)
	default:
		r.judge(ctx, &status, account, names)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = &status
}

// judge compares what the Trial found with what is expected.
func (r *run) judge(ctx context.Context, status *v1alpha1.TrialStatus, account history.Account, names history.Generated) {
	r.divergences = append(r.divergences, r.harm(account)...)
	if d := r.disturbance; d != nil {
		if n := firstHit(account.Requests, d.fault.Name); n >= 0 {
			r.struck, r.answered, r.restarted = account.Requests[n].Time, account.Requests[n].End(), r.startedOrEnded()
		}
		r.divergences = append(r.divergences, hastyHarm(account.Requests, d.fault)...)
		r.divergences = append(r.divergences, unreadHarm(account.Requests, d)...)
	}
	seen, err := r.seenHarm(ctx, account, names)
	if err != nil {
		status.Phase, status.Verdict, status.Message = v1alpha1.TrialInvalid, v1alpha1.JudgementInvalid, err.Error()
		return
	}
	r.divergences = append(withoutUsual(withoutDisowned(append(r.divergences, seen...)), r.spec.Undisturbed, names), markHarm(r.versions)...)
	if limit, expected := r.limit(); limit > 0 && status.Writes > limit {
		r.divergences = append(r.divergences, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceTraffic, Expected: fmt.Sprintf("%d writes, and at most %d", expected, limit), Found: fmt.Sprintf("%d writes", status.Writes),
		})
	}
	for i, d := range r.divergences {
		r.divergences[i].Object = names.Object(d.Object)
	}
	status.Divergences = r.divergences[:min(len(r.divergences), mostDivergences)]
	if r.spec.Undisturbed == nil {
		defer func() { status.Divergences = append(status.Divergences, r.wrongStatuses()...) }() // another Trial expects it
	}
	if len(status.Divergences) == 0 {
		r.conform(status)
		return
	}
	status.Verdict = v1alpha1.JudgementNotMet
	var told []string
	for _, d := range status.Divergences {
		told = append(told, d.InWords())
	}
	status.Message = sanitize.CutList(told, mostTold, "; ")
	if status.Repaired = r.repaired; r.repaired {
		status.Message += "; another event of the object repairs it"
	}
	status.Requests = r.proof(account, status.Divergences, names)
}

// conform writes the status of a Trial in which nothing diverges. If what happened on the way was
// not all seen, nobody knows whether something did.
func (r *run) conform(status *v1alpha1.TrialStatus) {
	_, all := r.seen.count()
	switch {
	case !all:
		status.Phase, status.Verdict = v1alpha1.TrialInvalid, v1alpha1.JudgementInvalid
		status.Message = "a watch of the Trial broke off, so what happened to the objects on the way was not all seen"
	case r.spec.Disturb == nil && r.spec.Undisturbed == nil:
		status.Verdict, status.Message = v1alpha1.JudgementMet, "the outcome was taken"
	default:
		status.Verdict, status.Message = v1alpha1.JudgementMet, "as without the disturbance"
	}
}

// limit returns how many writes are allowed, and how many are expected; 0 if that is not
// compared. While the subject is kept in the past, its writes may fail.
func (r *run) limit() (limit, expected int32) {
	if r.spec.Undisturbed == nil || r.spec.Undisturbed.Writes == 0 || r.disturbance != nil && r.disturbance.lasts {
		return 0, 0
	}
	expected = r.spec.Undisturbed.Writes
	return timesWrites*expected + moreWrites, expected
}

// account returns what was recorded since the Trial began.
func (r *run) account() history.Account {
	account := r.Recorder.Account(r.namespace)
	account.Requests = slices.DeleteFunc(account.Requests, func(q history.Request) bool { return q.Seq <= r.begun })
	return account
}

// unreached says why the disturbance did not happen: how many requests matched, or that they
// came when the subject had been quiet and the disturbance had ended. Of two disturbances, it
// is about the first that did not happen.
func (r *run) unreached(account history.Account) string {
	d := r.disturbance
	if d.also != nil && r.hit(d) {
		d = d.also
	}
	matching := 0
	for _, q := range account.Requests {
		if q.Seq > r.after && history.Matches(match(d.At), q) {
			matching++
		}
	}
	if d.lasts {
		return fmt.Sprintf("nothing came on these watches, or nothing was read, while it lasted (%d requests matched)", matching)
	}
	wanted := max(d.At.Occurrence, 1)
	if matching >= int(wanted) {
		return fmt.Sprintf("it is about request %d that matches, which came only after the disturbance had ended", wanted)
	}
	return fmt.Sprintf("it is about request %d that matches, and %d came", wanted, matching)
}

// proof returns the requests around the point, and those that wrote what differs.
func (r *run) proof(account history.Account, divergences []v1alpha1.Divergence, names history.Generated) []string {
	var lines []string
	for _, q := range account.Requests {
		wrote := q.IsWrite() && history.Matches(v1alpha1.RequestMatch{}, q) && q.Seq > r.after
		if !wrote && q.Fault == "" || len(lines) >= mostRequests {
			continue
		}
		line := fmt.Sprintf("%s by %s: %d, %s", q.InWords(), q.Replica, q.Code, q.Effect)
		if q.Fault != "" {
			line += ", disturbed"
		}
		if slices.ContainsFunc(divergences, func(d v1alpha1.Divergence) bool { return d.Object == names.Object(objectOf(q)) }) {
			line += " ←"
		}
		lines = append(lines, line)
	}
	return lines
}
