package trial

import (
	"context"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// workPatience is how long a Trial waits for the end of Jobs and of rollouts. Some never end.
const workPatience = 10 * time.Second

// awaitWork waits until the Jobs of the subject have ended, the Pods of its workloads are ready, and
// the subject is quiet again. Otherwise the outcome of the next operation would depend on how fast the
// machine is: a Job that runs is created again if somebody deletes it, but a completed one need not
// be; and a subject that waits for Pods looks at its object once more anyway. It returns true if the
// subject does not become quiet.
func (r *run) awaitWork(ctx context.Context) (restless bool, err error) {
	if !r.seen.isAtWork() {
		return false, nil
	}
	r.say("waiting until Jobs have ended, and Pods are ready")
	err = r.await(ctx, workPatience, "Jobs have ended, and Pods are ready", func(context.Context) (bool, error) {
		return !r.seen.isAtWork(), nil
	})
	if err := ignore(err, isLate); err != nil {
		return false, err
	}
	return r.rest(ctx)
}

// isAtWork says whether a Job still runs, or the Pods of a workload are on their way.
func (t *timeline) isAtWork() bool { return t.hasRunningJob() || t.isRollingOut() }

// hasRunningJob says whether a Job was neither suspended, nor deleted, nor at its end when it was
// last seen.
func (t *timeline) hasRunningJob() bool {
	return t.has(func(v version) bool {
		return v.resource == "jobs.batch" && history.JobRuns(v.Object)
	})
}
