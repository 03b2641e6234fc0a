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
)

// changeAll changes one field after the other. A change that the controller does not follow
// is put back: together with the next change if the controller wrote nothing, as there is
// nothing to wait for then.
func (v *visitor) changeAll(ctx context.Context, name string) (err error) {
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
	number, began, most := 0, time.Now(), min(longestChanges, v.timeLeft()/2)
	var (
		back []string
		next int
	)
	defer func() {
		if errors.Is(err, errOver) {
			v.leaveOut(changes[next:])
		}
	}()
	for n, tried := range changes {
		next = n
		if v.matters(tried.Path) {
			continue // another value has shown what the field decides
		}
		if time.Since(began) > most {
			v.leaveOut(changes[n : n+1])
			continue
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
				continue
			}
		}
		number++
		if v.matters(last.Path) {
			continue
		}
		if wrote, _ := v.writes(last.AfterSeq); wrote == 0 && last.Refused == "" {
			back = []string{tried.Path}
			continue
		}
		if err := v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: tried.Path, To: before}); err != nil {
			return err
		}
	}
	for _, path := range back {
		if err := v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: path, To: infer.At(map[string]any{"spec": spec}, path)}); err != nil {
			return err
		}
	}
	done := fmt.Sprintf("changed %d fields", number)
	if rest := v.record.Unchanged; len(rest) > 0 {
		done += fmt.Sprintf(", and left out %d, as %s were over (%s)", len(rest), most.Round(time.Second), strings.Join(rest, ", "))
	}
	v.Console.Done(done)
	return nil
}

// leaveOut notes the fields of changes that were not tried.
func (v *visitor) leaveOut(changes []infer.FieldChange) {
	for _, left := range changes {
		tried := slices.ContainsFunc(v.record.Acts, func(a infer.Act) bool { return a.Deed == infer.Change && a.Path == left.Path })
		if !tried && !slices.Contains(v.record.Unchanged, left.Path) {
			v.record.Unchanged = append(v.record.Unchanged, left.Path)
		}
	}
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
