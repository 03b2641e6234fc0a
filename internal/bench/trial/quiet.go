package trial

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/record/history"
)

// writes returns the requests after a record with which the subject wanted to change
// objects. Leases, Events and reviews are left out.
func (r *run) writes(after int64) []history.Request {
	return r.Recorder.Requests(history.Query{
		Scenario: r.namespace, After: after, Without: r.Profile(r.namespace).Spec.Claims.Exempt,
		Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate, history.VerbUpdate, history.VerbDelete}},
	})
}

// quietSince returns for how long the subject has been quiet: ready, without a write
// that changed anything, and without an open one. What happened before from does not
// count. A request that the disturbance itself holds open does not count as unrest.
func (r *run) quietSince(from time.Time) time.Duration {
	running, now := r.running(), time.Now()
	if running == nil || !running.Ready {
		return 0
	}
	last := from
	for _, write := range r.writes(r.begun) {
		at := write.End()
		held := r.armed && write.Fault == r.disturbance.fault.Name && r.disturbance.holds()
		switch {
		case !write.Finished && !held:
			return 0
		case write.Effect == history.EffectEffective && at.After(last):
			last = at
		}
	}
	if at := r.startedOrEnded(); at.After(last) {
		last = at
	}
	return now.Sub(last)
}

// startedOrEnded returns when a process of the subject was last started, or ended. A new one
// needs time to see what is there.
func (r *run) startedOrEnded() time.Time {
	var last time.Time
	for _, event := range r.Recorder.Events(r.namespace) {
		if event.Replica != "" && event.Time.After(last) {
			last = event.Time
		}
	}
	return last
}

// live notes which objects are there, and are not being deleted.
func (r *run) live(ctx context.Context) error {
	r.living = map[types.UID]bool{}
	for _, name := range r.spec.Resources {
		mapping, err := objects.FindResource(r.Mapper, name)
		if err != nil {
			return err
		}
		of := operation{resource: mapping.Resource, cluster: mapping.Scope.Name() != meta.RESTScopeNameNamespace}
		list, err := r.resourceOf(of).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("listing %s: %w", name, err)
		}
		for _, item := range list.Items {
			r.living[item.GetUID()] = item.GetDeletionTimestamp() == nil
		}
	}
	return nil
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
