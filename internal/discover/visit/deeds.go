package visit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

const (
	subjectName = "subject"
	replica     = subjectName + "-0"

	look            = 50 * time.Millisecond
	startPatience   = 45 * time.Second
	firstPatience   = 25 * time.Second // until it writes something
	ownPatience     = 12 * time.Second // until there is a workload that is not shared by all objects
	untilMoreBarred = 3 * time.Second  // until it has tried its other cluster-scoped writes, too
	changePatience  = 2 * time.Second  // until it follows a change, plus twice its reaction time
	mostPatience    = 8 * time.Second
	slow            = 4 * time.Second  // a first write that takes as long is that of a slow controller
	mostSlowness    = 14 * time.Second // a slower one than that is not waited for
	rollout         = 10 * time.Second // until Pods are ready
	silence         = 600 * time.Millisecond
	mostSilence     = 2500 * time.Millisecond
	atRest          = 5 * time.Second
	untilPeriod     = 35 * time.Second // until a controller that polls looks again: many do so every 30 s
	untilPeriods    = 95 * time.Second // until it has looked three times, which shows its period
	untilLook       = 30 * time.Second // until it looks again by itself, if no event wakes it
	longestLook     = 12 * time.Second // if it looks by itself within this time, each change waits for it
	longestChanges  = 4 * time.Minute  // after this time, no other field is changed
	inTrouble       = 6 * time.Second
	recovery        = 25 * time.Second
)

// carryOut carries out one deed after the other.
func (v *visitor) carryOut(ctx context.Context) error {
	err := v.start(ctx)
	if err == nil {
		err = v.createFirst(ctx)
	}
	if errors.Is(err, errOver) {
		return v.fruitless("the time of --max-time was over before it was seen what the controller makes: give it more")
	}
	if err != nil {
		return err
	}
	if v.record.Workless != "" {
		return v.carryOutWorkless(ctx, v.named("first-look"))
	}
	first, second, third, fourth := v.named("first-look"), v.named("second-look"), v.named("third-look"), v.named("fourth-look")
	err = v.steps([]step{
		{"a rest", func() error { return v.rest(ctx, first) }},
		{"what it serves", func() error { return v.servingBefore(ctx) }},
	})
	if err != nil {
		return err
	}
	if err := v.changeAll(ctx, first); err != nil { // it names the fields that it leaves out
		return err
	}
	return v.steps([]step{
		{"a field in place of the replicas", func() error { return v.standIn(ctx, first) }},
		{"labels and annotations", func() error { return v.label(ctx, first) }},
		{"a second object", func() error { return v.createSecond(ctx, second) }},
		{"labels and annotations", func() error {
			if second == first {
				return nil
			}
			return v.label(ctx, second) // a change of the first one may have left it in a state that no reconcile gets through
		}},
		{"what it serves", func() error { return v.serving(ctx) }},
		{"its Leases", func() error { return v.leases(ctx) }},
		{"deletion", func() error { return v.delete(ctx, first) }},
		{"a lost child", func() error {
			if second == first {
				return nil
			}
			if err := v.lose(ctx, second); err != nil {
				return err
			}
			return v.delete(ctx, second)
		}},
		{"fields that count at creation", func() error { return v.born(ctx, v.named("born-look")) }},
		{"numbers of replicas", func() error { return v.count(ctx, v.named("counted-look")) }},
		{"what scenarios write", func() error { return v.rehearse(ctx) }},
		{"Pods that are not ready", func() error { return v.withhold(ctx, v.named("unready-look")) }},
		{"a name that is taken", func() error { return v.occupy(ctx, third) }},
		{"a lost owner reference", func() error { return v.disown(ctx, v.named("disowned-look")) }},
		{"an owner that is somebody else", func() error { return v.foreign(ctx, v.named("other-look"), v.named("another-look")) }},
		{"an object without an image", func() error { return v.omit(ctx, v.named("omitted-look")) }},
		{"a child that is refused", func() error { return v.hinder(ctx, fourth) }},
		{"the end of the process", func() error { return v.end(ctx) }},
	})
}

// named returns the name that an object gets: this one, unless all objects must have a
// certain name.
func (v *visitor) named(name string) string { return cmp.Or(v.Name, name) }

// create creates an object with a spec, and with what the sample has besides its spec.
func (v *visitor) create(ctx context.Context, name string, spec map[string]any, options ...client.CreateOption) error {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if v.Around != nil && !v.bare {
		object.Object = v.Around(name)
	}
	if len(spec) > 0 || profile.SchemaAt(v.record.Version, "spec") != nil {
		object.Object["spec"] = spec
	}
	object.SetAPIVersion(v.resource.GroupVersion().String())
	object.SetKind(v.record.Kind)
	object.SetName(name)
	object.SetNamespace(v.namespace())
	err := v.client.Create(ctx, object, options...)
	if apierrors.IsAlreadyExists(err) && !isDenied(err) && v.Name != "" && len(options) == 0 { // the one before, which is still being deleted
		if err := v.vacate(ctx, name, startPatience); err != nil {
			return err
		}
		return v.client.Create(ctx, object)
	}
	return err
}

// rest looks at what the controller does when there is nothing to do. It looks longer if
// the controller polls, or if its status may be late. If the controller created something
// meanwhile, such as a child that waits for another one to be ready, the creation of the
// object was not over: it lasts until then, and the rest begins again.
func (v *visitor) rest(ctx context.Context, name string) error {
	const most = 3 // some create something again and again
	for n := 1; ; n++ {
		_, wrote := v.writes(0)
		err := v.do(ctx, infer.Act{Deed: infer.Rest, Object: name}, func() error { return nil }, func(after int64) error {
			return errors.Join(v.restOf(ctx, after, wrote), v.crashing())
		})
		last := len(v.record.Acts) - 1
		if err != nil || n == most || !v.created(v.record.Acts[last]) {
			return err
		}
		for i, act := range v.record.Acts {
			if act.Deed == infer.Create && act.Object == name && act.Refused == "" {
				v.record.Acts[i].Until, v.record.Acts[i].UntilSeq = v.record.Acts[last].Until, v.record.Acts[last].UntilSeq
			}
		}
		v.record.Acts = v.record.Acts[:last]
		v.late = max(v.late, v.record.Looked)
	}
}

// created tells whether the controller created something during an act.
func (v *visitor) created(act infer.Act) bool {
	return slices.ContainsFunc(v.written(act.AfterSeq), func(q history.Request) bool { return q.Verb == history.VerbCreate && q.Seq <= act.UntilSeq })
}

// restOf waits while there is nothing to do. The rest began after the record after, and the last
// write before it ended at wrote.
func (v *visitor) restOf(ctx context.Context, after int64, wrote time.Time) error {
	if err := v.pass(ctx, atRest); err != nil {
		return err
	}
	if !v.record.Polls() {
		return v.awaitLook(ctx, after, wrote)
	}
	return v.awaitAtMost(ctx, untilPeriods, func() (bool, error) {
		since := v.session.Recorder.Requests(history.Query{Scenario: Namespace, After: after})
		v.period = infer.Period(since, v.record.MainWorkload())
		return v.period > 0, nil
	})
}

// awaitLook waits until the controller writes again. It does so only if the controller writes a
// status, and has not written since it saw the last change of a main child: it may look again by itself.
// Its last write before the rest ended at wrote.
func (v *visitor) awaitLook(ctx context.Context, after int64, wrote time.Time) error {
	shown := v.shown()
	if !shown.After(wrote) || !v.record.WritesStatus() {
		return nil
	}
	return v.awaitAtMost(ctx, time.Until(shown.Add(untilLook)), func() (bool, error) {
		written := v.written(after)
		if len(written) > 0 {
			v.record.Looked = written[0].Time.Sub(shown)
		}
		return len(written) > 0, nil
	})
}

// label gives an object a label and an annotation that mean nothing.
func (v *visitor) label(ctx context.Context, name string) error {
	return v.do(ctx, infer.Act{Deed: infer.Label, Object: name}, func() error {
		patch := fmt.Appendf(nil, `{"metadata": {"labels": {%[1]q: %[2]q}, "annotations": {%[1]q: %[2]q}}}`, infer.ProbeLabel, infer.ProbeValue)
		object := &unstructured.Unstructured{}
		object.SetAPIVersion(v.resource.GroupVersion().String())
		object.SetKind(v.record.Kind)
		object.SetName(name)
		object.SetNamespace(v.namespace())
		return v.client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", patch))
	}, func(after int64) error { return v.settle(ctx, after, v.patience()) })
}

// createSecond creates another object, with as few fields as are enough.
func (v *visitor) createSecond(ctx context.Context, name string) error {
	if v.Name != "" {
		return nil // there can be only one
	}
	v.Console.Phase("creating another")
	known := v.record.Midway().Fields
	try := func(spec map[string]any) (*infer.Act, error) {
		err := v.do(ctx, infer.Act{Deed: infer.Create, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
			func(after int64) error { return v.settle(ctx, after, v.mostPatience()) })
		if err != nil {
			return nil, err
		}
		last := &v.record.Acts[len(v.record.Acts)-1]
		if last.Refused == "" && !v.record.Made(*last) {
			last.Refused = infer.NothingMade
		}
		return last, nil
	}
	if v.Lean != nil {
		around := v.record.Around
		for _, bare := range []bool{true, false} {
			if bare && len(around) == 0 {
				continue
			}
			v.bare, v.record.Around = bare, around
			if bare {
				v.record.Around = nil
			}
			created, err := try(v.Lean(name, known))
			if err != nil {
				return err
			}
			// It counts only if its Pods become ready as those of the sample.
			if created.Refused == "" && v.record.Unready(*created) {
				created.Refused = infer.NothingReady
			}
			if created.Refused == "" {
				v.record.Bare = bare
				v.Console.Done("a lean one got its children")
				return nil
			}
			if err := v.remove(ctx, name); err != nil {
				return err
			}
		}
	}
	created, err := try(v.Spec(name, known))
	if err == nil && created.Refused == "" {
		v.Console.Done("it got its children")
	} else {
		v.Console.Done("it got no children")
	}
	return err
}

// remove deletes an object, and waits until it and its children are gone.
func (v *visitor) remove(ctx context.Context, name string) error {
	resource := v.objects()
	if err := resource.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s: %w", name, err)
	}
	return v.awaitAtMost(ctx, rollout, func() (bool, error) {
		now := v.camera.filmed().Last()
		for ref, object := range now {
			if ref.Kind == v.record.Kind && ref.Name == name ||
				slices.ContainsFunc(object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return v.record.Owns(o, name) }) {
				return false, nil
			}
		}
		return true, nil
	})
}

// delete deletes an object.
func (v *visitor) delete(ctx context.Context, name string) error {
	return v.do(ctx, infer.Act{Deed: infer.Delete, Object: name}, func() error { return v.remove(ctx, name) }, func(after int64) error {
		return v.pass(ctx, silence)
	})
}
