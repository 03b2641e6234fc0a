package visit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/discover/infer"
)

// insist tries again after a change was refused. It tries other values. If the field cannot
// be changed, it deletes the object and creates it again with the value.
func (v *visitor) insist(ctx context.Context, refused infer.Act) error {
	object, err := v.objects().Get(ctx, refused.Object, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // the controller has deleted it
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", refused.Object, err)
	}
	before := infer.At(object.Object, refused.Path)
	for _, to := range append([]any{refused.To}, infer.OtherValues(before, refused.To)...) {
		act := refused
		act.To = to
		if fmt.Sprint(to) != fmt.Sprint(refused.To) {
			if err := v.change(ctx, act); err != nil {
				return err
			}
			if v.record.Acts[len(v.record.Acts)-1].Refused == "" {
				return nil
			}
		}
		spec, _ := infer.With(object.Object, act.Path, to)["spec"].(map[string]any)
		if taken, err := v.takes(ctx, act.Object, spec); err != nil || !taken {
			if err != nil {
				return err
			}
			continue
		}
		act.Anew = true
		return v.do(ctx, act, func() error {
			if err := v.vacate(ctx, act.Object, startPatience); err != nil {
				return err
			}
			return v.create(ctx, act.Object, spec)
		}, func(after int64) error { return v.settle(ctx, after, v.mostPatience()) })
	}
	return nil
}

// vacate removes an object, so that another one can have its name. If a finalizer blocks
// the deletion for too long, vacate removes the finalizer.
func (v *visitor) vacate(ctx context.Context, name string, patience time.Duration) error {
	if err := v.remove(ctx, name); err != nil {
		return err
	}
	resource := v.objects()
	var held *unstructured.Unstructured
	gone := func() (done bool, err error) {
		held, err = resource.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	err := v.await(ctx, patience, gone)
	if !errors.Is(err, errLate) {
		return err
	}
	v.Console.Printf("%s %s was still there %s after its deletion, by its finalizers %s: they are taken off",
		v.record.Kind, name, patience, strings.Join(held.GetFinalizers(), ", "))
	_, err = resource.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("taking the finalizers off %s: %w", name, err)
	}
	if err := v.await(ctx, rollout, gone); err != nil {
		return fmt.Errorf("waiting for %s %s to go: %w", v.record.Kind, name, err)
	}
	return nil
}

// takes tells whether the API server would accept an object with this spec, if no other
// object had its name.
func (v *visitor) takes(ctx context.Context, name string, spec map[string]any) (bool, error) {
	err := v.create(ctx, name, spec, client.DryRunAll)
	switch {
	case refuses(err):
		return false, nil
	case err == nil || apierrors.IsAlreadyExists(err):
		return true, nil
	}
	return false, fmt.Errorf("trying a spec of %s: %w", name, err)
}

// count finds out which numbers of replicas the API server accepts.
func (v *visitor) count(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	field := known[infer.RoleReplicas]
	if field.Path == "" || infer.FormatOf(field.To) != "" {
		return nil
	}
	for n := range int64(infer.MostReplicas + 1) {
		object := infer.With(map[string]any{"spec": v.Spec(name, known)}, field.Path, n)
		spec, _ := object["spec"].(map[string]any)
		taken, err := v.takes(ctx, name, spec)
		if err != nil {
			return err
		}
		if taken {
			v.record.Replicas = append(v.record.Replicas, int32(n))
		}
	}
	return nil
}
