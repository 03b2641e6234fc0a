package drift

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// quick is how long one field may take alone. A field that takes longer is checked again
// later.
const quick = 2 * time.Second

// changed is a field whose value a Drift has changed.
type changed struct {
	field
	to any
	// owner controlled the object when the field was changed. It is empty if nobody did.
	owner types.UID
	// bared is true if all labels and annotations were taken away with it.
	bared bool
}

func (c changed) apply(to map[string]any) {
	if c.entry {
		c.path.drop(to)
	} else {
		c.path.put(to, c.to)
	}
}

func (c changed) undo(in map[string]any) { c.path.put(in, c.value) }

// back says whether the field has its old value again.
func (c changed) back(object map[string]any) bool {
	now, ok := c.path.find(object)
	return ok && within(now, c.value)
}

func (c changed) inWords() string {
	switch {
	case c.bared:
		return "taken away with all labels and annotations"
	case c.entry:
		return "taken away"
	}
	return fmt.Sprintf("changed from %s to %s", text(c.value), text(c.to))
}

// change changes every field of the object, one after the other, and reports what happened
// to each.
func (r *run) change(ctx context.Context, fields []field) error {
	var asked, late, back []changed
	for _, f := range fields {
		name := f.path.String()
		if why := r.declared(f.path); why != "" {
			r.tell(name, v1alpha1.DriftNotAsked, "the profile declares it as not healed: "+why)
			continue
		}
		c, err := r.alter(ctx, f)
		if errors.Is(err, errNoOther) {
			r.tell(name, v1alpha1.DriftNotAsked, "nobody could change it back")
			continue
		}
		if refused(err) {
			r.tell(name, v1alpha1.DriftNotAsked, "the API server refuses to change it: "+err.Error())
			continue
		}
		if err != nil {
			return err
		}
		r.ask(name)
		asked = append(asked, c)
		missing, err := r.await(ctx, []changed{c}, expectation.Scaled(quick, r.times.Scale))
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			back = append(back, c)
			continue
		}
		let, err := r.letGo(ctx, missing)
		if err != nil {
			return err
		}
		late = append(late, without(missing, let)...)
		// The next field must be changed alone too.
		if _, err := r.object.write(ctx, c.undo); err != nil {
			return fmt.Errorf("setting %s back: %w", name, err)
		}
	}
	if err := errors.Join(r.again(ctx, late), r.stay(ctx, back)); err != nil {
		return err
	}
	return r.bare(ctx, asked)
}

// errNoOther says that a field has no other value that could be changed back.
var errNoOther = errors.New("there is no other value")

// alter gives a field the first other value that the API server accepts. If it accepts
// none, the error is its refusal of the last one.
func (r *run) alter(ctx context.Context, f field) (changed, error) {
	others := []any{nil}
	if !f.entry {
		others = another(f.path, f.value)
	}
	err := fmt.Errorf("changing %s: %w", f.path, errNoOther)
	for _, other := range others {
		c := changed{field: f, to: other}
		written, failed := r.object.write(ctx, c.apply)
		if failed == nil {
			if c.back(written.Object) {
				continue // The API server has restored the value.
			}
			c.owner = controllerOf(written)
			return c, nil
		}
		if err = failed; !refused(failed) {
			return c, fmt.Errorf("changing %s: %w", f.path, failed)
		}
	}
	return changed{}, err
}

// again changes the late fields once more. Those that the controller may find the object
// by are changed apart: while it does not find the object, it restores nothing.
func (r *run) again(ctx context.Context, late []changed) error {
	var labels, rest []changed
	for _, c := range late {
		if c.finds() {
			labels = append(labels, c)
		} else {
			rest = append(rest, c)
		}
	}
	return errors.Join(r.together(ctx, rest), r.together(ctx, labels))
}

// together changes fields at once, and gives them the full time. The API server may refuse
// together what it accepted one after the other, such as an entry of a list that is taken
// away and a field of it: then each is changed alone.
func (r *run) together(ctx context.Context, late []changed) error {
	if len(late) == 0 {
		return nil
	}
	if err := r.still(ctx); err != nil {
		return err
	}
	after := r.object.recorder.LastSeq()
	written, err := r.object.write(ctx, func(object map[string]any) {
		for _, c := range late {
			c.apply(object)
		}
	})
	if refused(err) && len(late) > 1 {
		for n := range late {
			if err := r.together(ctx, late[n:n+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("changing what was late: %w", err)
	}
	for n := range late {
		late[n].owner = controllerOf(written)
	}
	missing, err := r.await(ctx, late, r.within)
	if err != nil {
		return err
	}
	let, err := r.letGo(ctx, missing)
	if err != nil {
		return err
	}
	r.tellAll(without(late, let), without(missing, let), fmt.Sprintf("not back after %s; %s", r.within, r.object.since(written.GetUID(), after)))
	if len(missing) == 0 {
		return nil
	}
	// An entry of a list must not count as lost only because one of its fields is lost.
	_, err = r.object.write(ctx, func(object map[string]any) {
		for _, c := range missing {
			c.undo(object)
		}
	})
	if err != nil {
		return fmt.Errorf("setting back what was lost: %w", err)
	}
	return nil
}

// still waits until the object has not changed for a while. The effects of earlier
// changes, such as a rollout, must not be what wakes the controller.
func (r *run) still(ctx context.Context) error { return r.steady(ctx, r.version) }

// version stands for the state of the object. It is empty if the object is gone.
func (r *run) version(ctx context.Context) (string, error) {
	now, err := r.object.read(ctx)
	if errors.Is(err, errGone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return now.GetResourceVersion(), nil
}

// steady waits until something has been the same for a while. If it never is, steady waits no
// longer than a field may take.
func (r *run) steady(ctx context.Context, look func(context.Context) (string, error)) error {
	limit := expectation.Scaled(quick, r.times.Scale)
	var version string
	var since time.Time
	for end := time.Now().Add(r.within); time.Now().Before(end); {
		seen, err := look(ctx)
		if err != nil {
			return err
		}
		if since.IsZero() || seen != version {
			version, since = seen, time.Now()
		}
		if time.Since(since) >= limit {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// await waits until changed fields have their values again. It returns those that do not
// when the time is over.
func (r *run) await(ctx context.Context, fields []changed, limit time.Duration) ([]changed, error) {
	end := time.Now().Add(limit)
	for {
		now, err := r.object.read(ctx)
		if err != nil && !errors.Is(err, errGone) {
			return nil, err
		}
		var missing []changed
		for _, c := range fields {
			// If the object is missing: a controller may make it again.
			if err != nil || !c.back(now.Object) {
				missing = append(missing, c)
			}
		}
		if len(missing) == 0 || time.Now().After(end) {
			return missing, nil
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// stay reports which restored fields still have their values at the end.
func (r *run) stay(ctx context.Context, back []changed) error {
	missing, err := r.await(ctx, back, r.within)
	if err != nil {
		return err
	}
	r.tellAll(back, missing, "it came back, and is another again at the end")
	return nil
}

// tellAll reports that fields were kept, except the missing ones, which were lost.
func (r *run) tellAll(fields, missing []changed, lost string) {
	for _, c := range fields {
		r.tell(c.path.String(), v1alpha1.DriftKept, c.inWords()+", and back")
	}
	for _, c := range missing {
		r.tell(c.path.String(), v1alpha1.DriftLost, c.inWords()+" by somebody else, and "+lost)
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for the controller: %w", ctx.Err())
	case <-time.After(look):
		return nil
	}
}
