package visit

import (
	"context"

	"reconform.dev/reconform/internal/discover/infer"
)

// born creates an object with other values in the fields whose change had no effect,
// because such a field may count only at creation. It does so only if the field of the
// image, the replicas or the port is not known yet.
func (v *visitor) born(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	vain := v.record.Vain()
	unknown := known[infer.RoleImage].Path == "" || known[infer.RoleReplicas].Path == "" || known[infer.RolePort].Path == ""
	if !unknown || len(vain) == 0 {
		return nil
	}
	object := map[string]any{"spec": v.Spec(name, known)}
	for _, trial := range vain {
		object = infer.With(object, trial.Path, trial.To)
	}
	spec, _ := object["spec"].(map[string]any)
	err := v.do(ctx, infer.Act{Deed: infer.Born, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.follow(ctx, after, v.patience(), func() bool { return true }) })
	if err != nil {
		return err
	}
	return v.remove(ctx, name)
}
