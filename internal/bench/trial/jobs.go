package trial

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/record/history"
)

// jobsPatience is how long a Trial waits for the end of Jobs. Some never end.
const jobsPatience = 10 * time.Second

// awaitJobs waits until the Jobs of the subject have ended, and the subject is quiet again. What
// becomes of a Job in the next operation depends on that: one that runs is made again when somebody
// deletes it, and one that has completed need not be. So without this it would depend on how fast
// the machine is. It returns true if the subject does not become quiet.
func (r *run) awaitJobs(ctx context.Context) (restless bool, err error) {
	if !r.seen.hasRunningJob() {
		return false, nil
	}
	r.say("waiting until the Jobs have ended")
	err = r.await(ctx, jobsPatience, "the Jobs have ended", func(context.Context) (bool, error) {
		return !r.seen.hasRunningJob(), nil
	})
	if err := ignore(err, isLate); err != nil {
		return false, err
	}
	return r.rest(ctx)
}

// hasRunningJob says whether a Job was neither suspended, nor deleted, nor at its end when it was
// last seen.
func (t *timeline) hasRunningJob() bool {
	return t.has(func(v version) bool {
		suspended, _, _ := unstructured.NestedBool(v.Object, "spec", "suspend")
		return v.resource == "jobs.batch" && !suspended && !history.JobEnded(v.Object)
	})
}
