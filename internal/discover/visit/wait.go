package visit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/discover/infer"
)

// do does something, waits for its effects, and records it as an act.
func (v *visitor) do(ctx context.Context, act infer.Act, deed func() error, wait func(after int64) error) error {
	var err error
	act.AfterSeq = v.session.Recorder.LastSeq()
	if act.After, err = v.version(ctx); err != nil {
		return err
	}
	switch err := deed(); {
	case refuses(err):
		act.Refused = err.Error()
	case err != nil:
		return fmt.Errorf("carrying out %s of %s: %w", act.Deed, act.Object, err)
	default:
		if err := wait(act.AfterSeq); err != nil {
			return err
		}
	}
	if act.Until, err = v.version(ctx); err != nil {
		return err
	}
	act.UntilSeq = v.session.Recorder.LastSeq()
	v.record.Acts = append(v.record.Acts, act)
	v.observe()
	return v.camera.broken()
}

// refuses tells whether an error says that the API server does not accept an object, or that there
// is none: some controllers delete their own objects. A webhook that denies one may answer with
// any code.
func refuses(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || isDenied(err)
}

// isDenied tells whether an admission webhook has denied a request.
func isDenied(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && denied.MatchString(status.Status().Message)
}

// denied matches what the API server says of a request that a webhook has denied. It says
// something else if the webhook cannot be called.
var denied = regexp.MustCompile(`^admission webhook ".*" denied the request`)

// version returns the current version of the store.
func (v *visitor) version(ctx context.Context) (int64, error) {
	list, err := v.dynamic.Resource(services).Namespace(Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, fmt.Errorf("reading the version of the store: %w", err)
	}
	marker := &unstructured.Unstructured{}
	marker.SetResourceVersion(list.GetResourceVersion())
	return infer.VersionOf(marker), nil
}

var (
	errLate = errors.New("it took too long")
	// errOver says that the time of the visit is over.
	errOver = errors.New("the time of --max-time was over")
)

// await polls until it is done. After the patience it returns errLate, and errOver if the time
// of the visit is over before.
func (v *visitor) await(ctx context.Context, patience time.Duration, done func() (bool, error)) error {
	left, why := v.timeLeft(), errLate
	if left < patience {
		patience, why = left, errOver
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-late.C:
			return why
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitAtMost is like await, but it is not an error if the patience is over.
func (v *visitor) awaitAtMost(ctx context.Context, patience time.Duration, done func() (bool, error)) error {
	if err := v.await(ctx, patience, done); !errors.Is(err, errLate) {
		return err
	}
	return nil
}

// settle waits for the effects of a change: first for a write of the controller, as long as
// patience allows, and then until all Pods are ready and nothing changes any more.
func (v *visitor) settle(ctx context.Context, after int64, patience time.Duration) error {
	return v.follow(ctx, after, patience, v.rolledOut)
}

// follow waits for a write of the controller, as long as patience allows. Then it waits
// until the result is there and nothing changes any more.
func (v *visitor) follow(ctx context.Context, after int64, patience time.Duration, there func() bool) error {
	err := v.await(ctx, patience, func() (bool, error) {
		count, _ := v.writes(after)
		return count > 0, nil
	})
	if errors.Is(err, errLate) {
		return nil // the controller did not follow the change
	}
	if err != nil {
		return err
	}
	restless := false
	most := rollout + v.look() + 3*v.slowness() // a slow one takes some steps one after the other
	err = v.await(ctx, most, func() (bool, error) {
		_, last := v.writes(after)
		quiet := v.quiet()
		restless = time.Since(last) <= quiet && there()
		return time.Since(last) > quiet && v.camera.quiet() > quiet && there() && !v.willLook(last), nil
	})
	if !errors.Is(err, errLate) {
		return err
	}
	if restless && !v.restless {
		v.restless = true
		v.Console.Printf("all is there, and it goes on writing: each step takes %s now, as it does not come to rest", most.Round(time.Second))
	}
	return nil
}

// look returns how long after a change of a main child the controller looks at it by itself,
// or 0 if it does not, or takes too long to be waited for.
func (v *visitor) look() time.Duration {
	if after := max(v.record.LooksAfter(), v.late); after <= longestLook {
		return after
	}
	return 0
}

// willLook tells whether the controller will soon look again by itself. It does if it was
// shown a change of a main child after its last write (wrote), and such a change does not
// wake it.
func (v *visitor) willLook(wrote time.Time) bool {
	look, shown := v.look(), v.shown()
	return look > 0 && shown.After(wrote) && time.Since(shown) < look+time.Second
}

// shown returns when the controller was shown the last change of a main child.
func (v *visitor) shown() time.Time {
	workload := v.record.MainWorkload()
	resource := schema.GroupResource{Group: workload.Group, Resource: workload.Plural}.String()
	var last time.Time
	for _, s := range v.session.Recorder.Sightings(Namespace, resource) {
		if s.At.After(last) {
			last = s.At
		}
	}
	return last
}

// quiet returns for how long nothing must happen before a change counts as followed. A
// controller that collects events, and acts once a second, is quiet between two acts.
func (v *visitor) quiet() time.Duration {
	if slow := v.slowness(); slow > 0 {
		return slow + changePatience
	}
	return min(max(silence, 2*v.reaction), mostSilence)
}

// slowness returns how long a slow controller works at one object, or 0 for all others. It may
// begin with the next object only when it has finished the one before.
func (v *visitor) slowness() time.Duration {
	if v.reaction < slow {
		return 0
	}
	return min(v.reaction, mostSlowness)
}

// patience returns for how long a change may have no effect. A controller that looks now and
// then may notice it only at its next look.
func (v *visitor) patience() time.Duration {
	patience := min(changePatience+2*v.reaction, v.mostPatience())
	if v.period <= longestLook {
		patience = max(patience, v.period+changePatience)
	}
	return patience
}

// mostPatience returns for how long a change or a new object may have no effect, at most.
func (v *visitor) mostPatience() time.Duration {
	return max(mostPatience, changePatience+2*v.slowness())
}

// healing returns how long the controller may take to notice that a child is missing or wrong.
func (v *visitor) healing() time.Duration {
	if v.record.Polls() {
		return untilPeriod
	}
	return max(rollout, v.mostPatience())
}

// rolledOut tells whether all workloads that roll out have done so.
func (v *visitor) rolledOut() bool {
	for _, object := range v.camera.filmed().Last() {
		if infer.RollsOut(object.GetKind()) && !hasRolledOut(object) {
			return false
		}
	}
	return true
}

// hasRolledOut tells whether all Pods of a workload are ready, and new as far as the workload
// replaces them by itself.
func hasRolledOut(object *unstructured.Unstructured) bool {
	at := func(path string) int64 {
		number, _ := infer.At(object.Object, path).(int64)
		return number
	}
	want := at("spec.replicas")
	ready, updated, all := "status.readyReplicas", "status.updatedReplicas", "status.replicas"
	if object.GetKind() == "DaemonSet" {
		want = at("status.desiredNumberScheduled")
		ready, updated, all = "status.numberReady", "status.updatedNumberScheduled", "status.currentNumberScheduled"
	}
	if at("status.observedGeneration") != object.GetGeneration() || at(ready) != want || at(all) != want {
		return false
	}
	return at(updated) >= want-kept(object, want)
}

// kept returns how many of the wanted Pods may stay as they were when the template changes:
// all if the workload replaces none by itself, or as many as its partition says.
func kept(object *unstructured.Unstructured, want int64) int64 {
	if infer.At(object.Object, "spec.updateStrategy.type") == "OnDelete" || infer.At(object.Object, "spec.paused") == true {
		return want
	}
	partition, _ := infer.At(object.Object, "spec.updateStrategy.rollingUpdate.partition").(int64)
	return min(partition, want)
}

// pass lets time pass and does nothing.
func (v *visitor) pass(ctx context.Context, long time.Duration) error {
	return v.awaitAtMost(ctx, long, func() (bool, error) { return false, nil })
}
