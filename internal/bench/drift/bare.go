package drift

import (
	"context"
	"errors"
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// bare takes all labels and annotations away from the object at once, and waits until those
// of the controller are back. The object then has no map of labels or annotations, which some
// controllers cannot handle although they restore a single label. Only those are taken away
// that the controller has already restored one by one. Those that it need not restore stay.
func (r *run) bare(ctx context.Context, asked []changed) error {
	var own []changed
	for _, c := range asked {
		if inMetadata(c.path) && r.result(c.path) == v1alpha1.DriftKept {
			own = append(own, changed{field: c.field, bared: true})
		}
	}
	if len(own) == 0 {
		return nil
	}
	if err := r.still(ctx); err != nil {
		return err
	}
	after := r.object.recorder.LastSeq()
	written, err := r.object.write(ctx, r.takeAll)
	if refused(err) {
		return nil // It was asked about each of them.
	}
	if err != nil {
		return fmt.Errorf("taking all labels and annotations away: %w", err)
	}
	missing, err := r.await(ctx, own, r.within)
	if err != nil {
		return err
	}
	now, err := r.object.read(ctx)
	if err != nil && !errors.Is(err, errGone) {
		return err
	}
	if err == nil && controllerOf(written) != "" && controllerOf(now) == "" {
		return nil // Its owner found the object by a label, and has released it without that label.
	}
	r.tellAll(nil, missing, fmt.Sprintf("not back after %s; %s", r.within, r.object.since(written.GetUID(), after)))
	return nil
}

// takeAll removes the labels and annotations of an object, except those that must stay.
func (r *run) takeAll(object map[string]any) {
	for _, name := range []string{"labels", "annotations"} {
		whole := path{}.key("metadata").key(name)
		value, _ := whole.find(object)
		entries, _ := value.(map[string]any)
		for key := range entries {
			if p := whole.key(key); r.declared(p) == "" && r.result(p) != v1alpha1.DriftNotAsked {
				p.drop(object)
			}
		}
		if len(entries) == 0 {
			whole.drop(object)
		}
	}
}

// inMetadata says whether a path leads to a label or an annotation of the object itself.
func inMetadata(p path) bool { return p.under("metadata.labels") || p.under("metadata.annotations") }
