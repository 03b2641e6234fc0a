package visit

import (
	"context"

	"reconform.dev/reconform/internal/discover/infer"
)

// born creates an object with other values in the fields whose change had no effect,
// because such a field may count only at creation. It does so only if the field of the
// image, the replicas, the port or the variables is not known yet.
func (v *visitor) born(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	ineffective := v.record.WithoutEffect()
	unknown := known[infer.RoleImage].Path == "" || known[infer.RoleReplicas].Path == "" || known[infer.RolePort].Path == ""
	if !unknown && known[infer.RoleEnv].Path != "" || len(ineffective) == 0 {
		return nil
	}
	if made, err := v.bornWith(ctx, name, ineffective); made || err != nil {
		return err
	}
	// A value of another field may be in the way.
	shown := v.record.LikelyAtCreation()
	if len(shown) == 0 || len(shown) == len(ineffective) {
		return nil
	}
	_, err := v.bornWith(ctx, name, shown)
	return err
}

// bornWith creates an object with other values in some fields, and removes it again. It
// tells whether the controller made children for it.
func (v *visitor) bornWith(ctx context.Context, name string, ineffective []infer.FieldChange) (made bool, err error) {
	known := v.record.Midway().Fields
	object := map[string]any{"spec": v.Spec(name, known)}
	for _, tried := range ineffective {
		object = infer.With(object, tried.Path, tried.To)
	}
	spec, _ := object["spec"].(map[string]any)
	err = v.do(ctx, infer.Act{Deed: infer.Born, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.follow(ctx, after, v.patience(), func() bool { return true }) })
	if err != nil {
		return false, err
	}
	last := &v.record.Acts[len(v.record.Acts)-1]
	if made = last.Refused == "" && v.record.Made(*last); !made && last.Refused == "" {
		last.Refused = infer.NothingMade
	}
	return made, v.remove(ctx, name)
}
