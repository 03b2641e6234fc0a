package visit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/report"
)

// changeAll changes one field after the other. A change that the controller does not follow
// is put back: together with the next change if the controller wrote nothing, as there is
// nothing to wait for then. Fields that the time does not suffice for are left out.
func (v *visitor) changeAll(ctx context.Context, name string) error {
	v.Console.Phase("changing its fields, one by one")
	spec := v.Spec(name, nil)
	var configMaps []string
	for _, object := range v.Beside {
		if isCore(object, "ConfigMap") {
			configMaps = append(configMaps, object.GetName())
		}
	}
	changes := infer.FieldChanges(v.record.Version, spec, configMaps)
	infer.LikelyFirst(changes)
	number, began, most := 0, time.Now(), max(0, min(longestChanges, v.timeLeft()/2))
	var back []string
	try := func(tried infer.FieldChange) error {
		if v.matters(tried.Path) {
			return nil // another value has shown what the field decides
		}
		if time.Since(began) >= most {
			return errOver
		}
		before := infer.At(map[string]any{"spec": spec}, tried.Path)
		act := infer.Act{Deed: infer.Change, Object: name, Path: tried.Path, To: tried.To}
		if err := v.change(ctx, act, back...); err != nil {
			return err
		}
		last := v.record.Acts[len(v.record.Acts)-1]
		if last.Refused == "" {
			back = nil
		} else {
			if err := v.insist(ctx, act); err != nil {
				return err
			}
			if !v.matters(tried.Path) {
				return nil
			}
		}
		number++
		if v.matters(last.Path) {
			return nil
		}
		if wrote, _ := v.writes(last.AfterSeq); wrote == 0 && last.Refused == "" {
			back = []string{tried.Path}
			return nil
		}
		return v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: tried.Path, To: before})
	}
	for _, tried := range changes {
		if err := v.orLeaveOut(tried, try(tried)); err != nil {
			return err
		}
	}
	for _, path := range back {
		err := v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: path, To: infer.At(map[string]any{"spec": spec}, path)})
		if err != nil && !errors.Is(err, errOver) {
			return err
		}
	}
	done := "changed " + report.Counted(number, "field")
	if rest := v.record.Unchanged; len(rest) > 0 {
		done += fmt.Sprintf(", and left out %d, as %s were over (%s)", len(rest), most.Round(time.Second), strings.Join(rest, ", "))
	}
	v.Console.Done(done)
	return nil
}

// orLeaveOut returns the error of a change, unless the time did not suffice for it: then it notes
// that its field was not tried.
func (v *visitor) orLeaveOut(left infer.FieldChange, err error) error {
	if !errors.Is(err, errOver) {
		return err
	}
	tried := slices.ContainsFunc(v.record.Acts, func(a infer.Act) bool { return a.Deed == infer.Change && a.Path == left.Path })
	if !tried && !slices.Contains(v.record.Unchanged, left.Path) {
		v.record.Unchanged = append(v.record.Unchanged, left.Path)
	}
	return nil
}

// matters tells whether a field decides about a child.
func (v *visitor) matters(path string) bool {
	for _, field := range v.record.Midway().Fields {
		if field.Path == path {
			return true
		}
	}
	return false
}

// change changes a field of an object, and puts others back, as the sample has them. An act
// without a value puts its field back.
func (v *visitor) change(ctx context.Context, act infer.Act, back ...string) error {
	sample := map[string]any{"spec": v.Spec(act.Object, nil)}
	return v.do(ctx, act, func() error {
		return v.edit(ctx, act.Object, func(object map[string]any) map[string]any {
			for _, path := range back {
				object = infer.Like(object, sample, path)
			}
			if act.To == nil {
				return infer.Like(object, sample, act.Path)
			}
			return infer.With(object, act.Path, act.To)
		})
	}, func(after int64) error { return v.settle(ctx, after, v.patience()) })
}

// edit edits an object that the controller may write at the same time.
func (v *visitor) edit(ctx context.Context, name string, change func(map[string]any) map[string]any) error {
	const tries = 10
	var err error
	for range tries {
		var object *unstructured.Unstructured
		resource := v.objects()
		if object, err = resource.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		object.Object = change(object.Object)
		if _, err = resource.Update(ctx, object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) || isDenied(err) {
			return err
		}
	}
	return err
}
