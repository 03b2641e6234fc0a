package visit

import (
	"context"

	"reconform.dev/reconform/internal/discover/infer"
)

// withhold keeps the Pods of an object from becoming ready. What the status says then
// cannot be about ready Pods.
func (v *visitor) withhold(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	image := known[infer.RoleImage]
	if image.Path == "" || !infer.RollsOut(v.record.MainWorkload().Kind) {
		return nil
	}
	v.Console.Phase("withholding readiness")
	never := infer.ImageLike(image.To, "registry.example/look:never-ready")
	object := infer.With(map[string]any{"spec": v.Spec(name, known)}, image.Path, never)
	spec, _ := object["spec"].(map[string]any)
	err := v.do(ctx, infer.Act{Deed: infer.Withhold, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error {
			return v.follow(ctx, after, v.patience(), func() bool { return true })
		})
	if err != nil {
		return err
	}
	if v.record.Acts[len(v.record.Acts)-1].Refused != "" {
		v.Console.Done("the API server accepts no such image")
		return nil
	}
	if err := v.stall(ctx, name, image, never); err != nil {
		return err
	}
	v.Console.Done("saw what it says of Pods that are not ready")
	return v.remove(ctx, name)
}

// stall lets the Pods of an object become ready, and then gives it an image whose Pods never
// do. What says that the object is ready may then go on saying so, because the Pods of the
// image before still serve. stall does nothing if nothing says that the object is ready.
func (v *visitor) stall(ctx context.Context, name string, image infer.FieldChange, never string) error {
	ready, err := v.readiness(name)
	if err != nil || ready == nil {
		return err
	}
	act := infer.Act{Deed: infer.Rehearse, Object: name, Path: image.Path, To: image.To}
	if err := v.change(ctx, act); err != nil || !ready() {
		return err
	}
	act.Deed, act.To = infer.Stall, never
	return v.do(ctx, act, func() error {
		return v.edit(ctx, name, func(object map[string]any) map[string]any { return infer.With(object, act.Path, act.To) })
	}, func(after int64) error {
		if err := v.follow(ctx, after, v.patience(), func() bool { return v.begun(name) }); err != nil || !v.begun(name) {
			return err
		}
		patience := v.patience()
		if v.record.Polls() {
			patience = untilPeriod
		}
		return v.awaitAtMost(ctx, patience, func() (bool, error) { return !ready(), nil })
	})
}

// readiness returns a function that tells whether an object says that it is ready, by what
// the profile that would be written now takes for that. It returns nil if that is nothing.
func (v *visitor) readiness(name string) (func() bool, error) {
	p, err := v.drafted()
	if err != nil || p.Spec.Contract.Status.Phase == nil {
		return nil, err
	}
	return func() bool {
		object := v.camera.filmed().Last()[infer.Ref{Kind: v.record.Kind, Name: name}]
		return object != nil && infer.IsReady(object, p.Spec.Contract)
	}, nil
}

// begun tells whether the main child of an object has begun to roll out its last change.
func (v *visitor) begun(name string) bool {
	v.observe()
	child := v.camera.filmed().Last()[v.record.MainOf(name)]
	return child != nil && infer.Begun(child.Object)
}
