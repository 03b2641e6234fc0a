package visit

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// occupy gives the name of a child to an object without an owner, and then creates the
// child's object.
func (v *visitor) occupy(ctx context.Context, name string) error {
	v.Console.Phase("making trouble")
	midway := v.record.Midway()
	spec := v.Spec(name, midway.Fields)
	stranger, err := v.copyFor(midway.Deployment(name, spec), v.record.Acts[0].Object, name)
	if err != nil {
		return err
	}
	err = v.client.Create(ctx, stranger)
	if apierrors.IsAlreadyExists(err) {
		return nil // all objects share that child, so the name is taken
	}
	if err != nil {
		return fmt.Errorf("creating %s of nobody's: %w", profile.WithArticle(stranger.GetKind()), err)
	}
	err = v.do(ctx, infer.Act{Deed: infer.Occupy, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.settle(ctx, after, v.patience()) })
	if err != nil {
		return err
	}
	err = v.do(ctx, infer.Act{Deed: infer.Vacate, Object: name}, func() error { return client.IgnoreNotFound(v.client.Delete(ctx, stranger)) },
		func(after int64) error { return v.settle(ctx, after, v.mostPatience()) })
	if err != nil {
		return err
	}
	return v.remove(ctx, name)
}

// disown takes the owner reference off a child, and then changes the child's object, so that
// the controller looks at it. It does so only if the controller left alone an object that
// had nothing of its child but the name: this one has the child's labels, too.
func (v *visitor) disown(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	if !v.record.LeavesStrangers() {
		return nil
	}
	spec := v.Spec(name, known)
	err := v.do(ctx, infer.Act{Deed: infer.Rehearse, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.settle(ctx, after, v.mostPatience()) })
	if err != nil {
		return err
	}
	w, child := v.record.MainWorkload(), v.record.MainOf(name)
	children := v.dynamic.Resource(schema.GroupVersionResource{Group: w.Group, Version: w.Version, Resource: w.Plural}).Namespace(Namespace)
	for _, role := range []infer.Role{infer.RoleReplicas, infer.RoleImage, infer.RoleEnv, infer.RolePort} {
		field := known[role]
		if child.Name == "" || field.Path == "" {
			continue
		}
		act := infer.Act{Deed: infer.Disown, Object: name, Path: field.Path, To: field.To}
		err := v.do(ctx, act, func() error {
			if _, err := children.Patch(ctx, child.Name, types.MergePatchType, []byte(`{"metadata": {"ownerReferences": null}}`), metav1.PatchOptions{}); err != nil {
				return fmt.Errorf("taking the owner off %s: %w", child, err)
			}
			return v.edit(ctx, name, func(object map[string]any) map[string]any { return infer.With(object, act.Path, act.To) })
		}, func(after int64) error { return v.settle(ctx, after, v.patience()) })
		if err != nil {
			return err
		}
		if v.record.Acts[len(v.record.Acts)-1].Refused == "" {
			break
		}
	}
	if err := v.remove(ctx, name); err != nil || child.Name == "" {
		return err
	}
	// Nobody else removes a child that nobody owns.
	if err := children.Delete(ctx, child.Name, metav1.DeleteOptions{}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting %s: %w", child, err)
	}
	return v.awaitAtMost(ctx, rollout, func() (bool, error) {
		_, err := children.Get(ctx, child.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// foreign gives the name of a child to a child of another controller: to one that is like
// the controller's own, and to one that scenarios would create.
func (v *visitor) foreign(ctx context.Context, name, other string) error {
	midway := v.record.Midway()
	spec := v.Spec(name, midway.Fields)
	theirs, err := v.copyFor(midway.Deployment(name, spec), v.record.Acts[0].Object, name)
	if err != nil {
		return err
	}
	if err := v.collide(ctx, name, spec, theirs, func() error { return v.create(ctx, name, spec) }); err != nil || !v.Rehearse {
		return err
	}
	p, err := v.drafted()
	if err != nil {
		return err
	}
	spec, _ = scripted(p, other)["spec"].(map[string]any)
	if theirs, err = strangerFor(p, other, spec); err != nil {
		return err
	}
	return v.collide(ctx, other, spec, theirs, func() error { return v.createBy(ctx, p, other, spec) })
}

// collide creates an object while a child of another controller has the name of its child.
// It does nothing if the API server refuses that child.
func (v *visitor) collide(ctx context.Context, name string, spec map[string]any, theirs *unstructured.Unstructured, create func() error) error {
	owner := &corev1.ConfigMap{}
	if err := v.client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: infer.ProbeConfigMap}, owner); err != nil {
		return fmt.Errorf("reading a ConfigMap: %w", err)
	}
	theirs.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: ptr.To(true),
	}})
	err := v.client.Create(ctx, theirs)
	if refuses(err) || apierrors.IsAlreadyExists(err) { // all objects may share that child
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating %s of another controller: %w", profile.WithArticle(theirs.GetKind()), err)
	}
	err = v.do(ctx, infer.Act{Deed: infer.Foreign, Object: name, To: spec}, create,
		func(after int64) error { return v.settle(ctx, after, v.patience()) })
	if err != nil {
		return err
	}
	if err := v.client.Delete(ctx, theirs); client.IgnoreNotFound(err) != nil { // the controller may have deleted it
		return fmt.Errorf("deleting %s of another controller: %w", profile.WithArticle(theirs.GetKind()), err)
	}
	return v.remove(ctx, name)
}

// omit leaves out the image, and looks whether the API server would accept the object.
func (v *visitor) omit(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	path := known[infer.RoleImage].Path
	if path == "" {
		return nil
	}
	object := infer.With(map[string]any{"spec": v.Spec(name, known)}, path, nil)
	spec, _ := object["spec"].(map[string]any)
	return v.do(ctx, infer.Act{Deed: infer.Omit, Object: name, Path: path}, func() error {
		return v.create(ctx, name, spec, client.DryRunAll)
	}, func(int64) error { return nil })
}

// hinder blocks the creation of a main child, and later allows it.
func (v *visitor) hinder(ctx context.Context, name string) error {
	fault := &v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{Name: "refused", Namespace: Namespace}}
	w := v.record.MainWorkload()
	resource := strings.TrimSuffix(w.Plural+"."+w.Group, ".")
	fault.Spec.Match.Verbs, fault.Spec.Match.Resources = []string{"create"}, []string{resource}
	// The message is that of a policy, which some controllers take for final, and not that of
	// a quota. Scenarios do the same.
	fault.Spec.Action.Respond = &v1alpha1.Respond{
		Code: 403, Reason: "Forbidden",
		Message: fmt.Sprintf(`%s %q is forbidden: ValidatingAdmissionPolicy 'look' with binding 'look' denied request: not now`, resource, name),
	}
	if err := v.client.Create(ctx, fault); err != nil {
		return fmt.Errorf("refusing %s: %w", resource, err)
	}
	var err error
	if v.record.Hindering, err = v.pages(ctx); err != nil {
		return err
	}
	spec := v.Spec(name, v.record.Midway().Fields)
	err = v.do(ctx, infer.Act{Deed: infer.Hinder, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.triedAgain(ctx, after) })
	if err != nil {
		return err
	}
	if v.record.Hindered, err = v.pages(ctx); err != nil {
		return err
	}
	err = v.do(ctx, infer.Act{Deed: infer.Unhinder, Object: name}, func() error { return v.client.Delete(ctx, fault) },
		func(after int64) error { return v.settle(ctx, after, recovery) })
	if err == nil {
		v.Console.Done("saw what trouble does")
	}
	return err
}

// triedAgain waits until the controller has shown how it tries again what fails. If the usual
// time shows too few attempts for a schedule, it gets as long as a slow schedule takes.
func (v *visitor) triedAgain(ctx context.Context, after int64) error {
	if err := v.pass(ctx, inTrouble); err != nil {
		return err
	}
	attempts := func() (at []time.Time) {
		for _, r := range v.session.Recorder.Requests(history.Query{Scenario: Namespace, After: after, Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}}}) {
			if r.Fault != "" {
				at = append(at, r.Time)
			}
		}
		return at
	}
	if first := attempts(); len(first) == 0 || infer.ShowSchedule(first) {
		return nil
	}
	v.Console.Phase(fmt.Sprintf("waiting for more attempts, for %s at most", infer.RetryLook))
	return v.awaitAtMost(ctx, infer.RetryLook-inTrouble, func() (bool, error) { return infer.ShowSchedule(attempts()), nil })
}
