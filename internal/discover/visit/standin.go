package visit

import (
	"context"

	"reconform.dev/reconform/internal/discover/infer"
)

// standIn looks for a field that can stand in for the number of replicas, if no field of an
// object decides about that.
func (v *visitor) standIn(ctx context.Context, name string) error {
	if v.record.Midway().Fields[infer.RoleReplicas].Path != "" {
		return nil
	}
	for _, tried := range infer.StandIns(v.record.Version, v.Spec(name, nil)) {
		if v.record.HasStandIn() || v.timeLeft() <= 0 {
			return nil
		}
		if err := v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: tried.Path, To: tried.To}); err != nil {
			return err
		}
	}
	return nil
}
