package visit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/history"
)

const (
	subjectName = "subject"
	replica     = subjectName + "-0"

	look           = 50 * time.Millisecond
	startPatience  = 45 * time.Second
	firstPatience  = 25 * time.Second // until it writes anything
	changePatience = 2 * time.Second  // until it follows a change, and twice its reaction
	mostPatience   = 8 * time.Second
	rollout        = 10 * time.Second // until Pods are ready
	silence        = 600 * time.Millisecond
	atRest         = 5 * time.Second
	inTrouble      = 6 * time.Second
	recovery       = 25 * time.Second
)

// carryOut does one thing after the other.
func (v *visitor) carryOut(ctx context.Context) error {
	if err := v.start(ctx); err != nil {
		return err
	}
	const first, second, third, fourth = "first-look", "second-look", "third-look", "fourth-look"
	if err := v.createFirst(ctx, first); err != nil {
		return err
	}
	if err := v.rest(ctx, first); err != nil {
		return err
	}
	if err := v.changeAll(ctx, first); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return v.label(ctx, first) },
		func() error { return v.createSecond(ctx, second) },
		func() error { return v.serving(ctx) },
		func() error { return v.leases(ctx) },
		func() error { return v.delete(ctx, first) },
		func() error { return v.delete(ctx, second) },
		func() error { return v.occupy(ctx, third) },
		func() error { return v.foreign(ctx, "other-look") },
		func() error { return v.omit(ctx, "omitted-look") },
		func() error { return v.hinder(ctx, fourth) },
		func() error { return v.end(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// start the controller.
func (v *visitor) start(ctx context.Context) error {
	v.Console.Phase("starting the controller")
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: subjectName, Namespace: Namespace}}
	subject.Spec.Replicas, subject.Spec.Restart, subject.Spec.LeaderElection = 1, v1alpha1.RestartAlways, v.Election
	if err := v.client.Create(ctx, subject); err != nil {
		return fmt.Errorf("starting the controller: %w", err)
	}
	const starts = 3
	err := v.await(ctx, startPatience, func() (bool, error) {
		if err := v.client.Get(ctx, client.ObjectKeyFromObject(subject), subject); err != nil {
			return false, fmt.Errorf("looking at the controller: %w", err)
		}
		for _, r := range subject.Status.Replicas {
			if r.Phase == v1alpha1.ReplicaExited && r.Restarts >= starts-1 {
				return false, v.fruitless("the controller ends by itself, %d times: %s", starts, subject.Status.Message)
			}
		}
		return subject.Status.Ready > 0 && v.asked(), nil
	})
	switch {
	case errors.Is(err, errLate) && !v.asked():
		return v.fruitless("the controller has not asked the API server for anything in %s: %s", startPatience, subject.Status.Message)
	case errors.Is(err, errLate) && v.Profile.Spec.Launch.Ready.HTTPGet != nil:
		return v.fruitless("the controller is not ready after %s: %s", startPatience, subject.Status.Message)
	case err != nil && !errors.Is(err, errLate):
		return err
	}
	v.Console.Done("the controller starts")
	return nil
}

// asked tells whether anything came through the proxy.
func (v *visitor) asked() bool { return len(v.session.Recorder.Account(Namespace).Requests) > 0 }

// do something, wait for its effects, and record it as an act.
func (v *visitor) do(ctx context.Context, act explore.Act, deed func() error, wait func(after int64) error) error {
	var err error
	act.AfterSeq = v.session.Recorder.LastSeq()
	if act.After, err = v.version(ctx); err != nil {
		return err
	}
	switch err := deed(); {
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err):
		act.Refused = err.Error()
	case err != nil:
		return fmt.Errorf("carrying out %s of %s: %w", act.Deed, act.Object, err)
	default:
		if err := wait(act.AfterSeq); err != nil {
			return err
		}
	}
	if act.Until, err = v.version(ctx); err != nil {
		return err
	}
	act.UntilSeq = v.session.Recorder.LastSeq()
	v.record.Acts = append(v.record.Acts, act)
	v.record.Film, v.record.Account = v.camera.filmed(), v.session.Recorder.Account(Namespace)
	return nil
}

// version of the store, now.
func (v *visitor) version(ctx context.Context) (int64, error) {
	list, err := v.dynamic.Resource(deployments).Namespace(Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, fmt.Errorf("reading the version of the store: %w", err)
	}
	marker := &unstructured.Unstructured{}
	marker.SetResourceVersion(list.GetResourceVersion())
	return explore.VersionOf(marker), nil
}

var errLate = errors.New("it took too long")

// await polls until it is done; errLate after the patience.
func (v *visitor) await(ctx context.Context, patience time.Duration, done func() (bool, error)) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-late.C:
			return errLate
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settle waits for the effects of a change: a write of the controller within the
// patience, and then that all Pods are ready and nothing changes any more.
func (v *visitor) settle(ctx context.Context, after int64, patience time.Duration) error {
	err := v.await(ctx, patience, func() (bool, error) {
		count, _ := v.writes(after)
		return count > 0, nil
	})
	if errors.Is(err, errLate) {
		return nil // it did not follow
	}
	if err == nil {
		err = v.await(ctx, rollout, func() (bool, error) {
			_, last := v.writes(after)
			return time.Since(last) > silence && v.camera.quiet() > silence && v.rolledOut(), nil
		})
	}
	if errors.Is(err, errLate) {
		return nil
	}
	return err
}

func (v *visitor) patience() time.Duration { return min(changePatience+2*v.reaction, mostPatience) }

// rolledOut tells whether the Pods of all Deployments are ready.
func (v *visitor) rolledOut() bool {
	for _, object := range v.camera.filmed().At(1 << 62) {
		if object.GetKind() != "Deployment" {
			continue
		}
		at := func(path string) int64 {
			number, _ := explore.At(object.Object, path).(int64)
			return number
		}
		want := at("spec.replicas")
		if at("status.observedGeneration") != object.GetGeneration() || at("status.readyReplicas") != want ||
			at("status.updatedReplicas") != want || at("status.replicas") != want {
			return false
		}
	}
	return true
}

// create an object of a spec.
func (v *visitor) create(ctx context.Context, name string, spec map[string]any, options ...client.CreateOption) error {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(v.resource.GroupVersion().String())
	object.SetKind(v.record.Kind)
	object.SetName(name)
	object.SetNamespace(Namespace)
	return v.client.Create(ctx, object, options...)
}

func (v *visitor) createFirst(ctx context.Context, name string) error {
	v.Console.Phase("creating a " + v.record.Kind)
	began := time.Now()
	spec := v.Spec(name, nil)
	err := v.do(ctx, explore.Act{Deed: explore.Create, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) }, func(after int64) error {
		err := v.await(ctx, firstPatience, func() (bool, error) {
			if count, _ := v.writes(after); count > 0 && v.reaction == 0 {
				v.reaction = time.Since(began)
			}
			return slices.ContainsFunc(v.camera.filmed(), func(f explore.Frame) bool { return f.Object.GetKind() == "Deployment" }), nil
		})
		if !errors.Is(err, errLate) && err != nil {
			return err
		}
		if errors.Is(err, errLate) {
			return v.nothingMade()
		}
		return v.settle(ctx, after, v.patience())
	})
	if err == nil && v.record.Acts[0].Refused != "" {
		return &Refused{"the API server refuses the " + v.record.Kind + ": " + v.record.Acts[0].Refused}
	}
	if err == nil {
		v.Console.Done("it made children")
	}
	return err
}

// nothingMade says why no Deployment came.
func (v *visitor) nothingMade() error {
	account := v.session.Recorder.Account(Namespace)
	for _, e := range explore.Elections(account, v.record.Home) {
		if !e.Held && e.Lease.Namespace != "" && v.Profile.Spec.Launch.LeaderElection == nil {
			return &Elsewhere{e.Lease}
		}
	}
	if v.asksAtHomeOnly(account) {
		return &AtHome{v.record.Kind}
	}
	return v.fruitless("the controller made no Deployment within %s (it sent %d requests%s)", firstPatience, len(account.Requests), made(account))
}

// made are the kinds of what was created, in words.
func made(account history.Account) string {
	var resources []string
	for _, q := range account.Requests {
		name := strings.TrimSuffix(q.Resource+"."+q.Group, ".")
		if q.Verb == history.VerbCreate && q.Effect == history.EffectEffective && !slices.Contains(resources, name) &&
			q.Resource != "leases" && q.Resource != "events" {
			resources = append(resources, name)
		}
	}
	if len(resources) == 0 {
		return ""
	}
	return "; it made: " + strings.Join(resources, ", ")
}

// asksAtHomeOnly tells whether all that it asked for its objects were those in its home.
func (v *visitor) asksAtHomeOnly(account history.Account) bool {
	asked := false
	for _, q := range account.Requests {
		if q.Resource != v.resource.Resource || q.Group != v.resource.Group {
			continue
		}
		if asked = true; q.Namespace != v.record.Home || q.Namespace == Namespace {
			return false
		}
	}
	return asked
}

// rest looks at what it does when there is nothing to do.
func (v *visitor) rest(ctx context.Context, name string) error {
	return v.do(ctx, explore.Act{Deed: explore.Rest, Object: name}, func() error { return nil }, func(int64) error {
		return v.pass(ctx, atRest)
	})
}

// pass lets time pass in which nothing is done.
func (v *visitor) pass(ctx context.Context, long time.Duration) error {
	if err := v.await(ctx, long, func() (bool, error) { return false, nil }); !errors.Is(err, errLate) {
		return err
	}
	return nil
}

// changeAll changes one field after the other. What nothing follows is put back.
func (v *visitor) changeAll(ctx context.Context, name string) error {
	v.Console.Phase("changing its fields, one by one")
	spec := v.Spec(name, nil)
	var configMaps []string
	for _, object := range v.Beside {
		if object.GetKind() == "ConfigMap" {
			configMaps = append(configMaps, object.GetName())
		}
	}
	number := 0
	for _, trial := range explore.Trials(v.record.Version, spec, configMaps) {
		before := explore.At(map[string]any{"spec": spec}, trial.Path)
		act := explore.Act{Deed: explore.Change, Object: name, Path: trial.Path, To: trial.To}
		if err := v.change(ctx, act); err != nil {
			return err
		}
		last := v.record.Acts[len(v.record.Acts)-1]
		if last.Refused != "" {
			continue
		}
		number++
		if v.matters(last) {
			continue
		}
		if err := v.change(ctx, explore.Act{Deed: explore.Change, Object: name, Path: trial.Path, To: before}); err != nil {
			return err
		}
	}
	v.Console.Done(fmt.Sprintf("changed %d fields", number))
	return nil
}

// matters tells whether a field decides about a child.
func (v *visitor) matters(a explore.Act) bool {
	for _, path := range v.record.Midway().Fields {
		if path == a.Path {
			return true
		}
	}
	return false
}

// change a field of an object.
func (v *visitor) change(ctx context.Context, act explore.Act) error {
	return v.do(ctx, act, func() error {
		return v.edit(ctx, act.Object, func(object map[string]any) map[string]any { return explore.With(object, act.Path, act.To) })
	}, func(after int64) error { return v.settle(ctx, after, v.patience()) })
}

// edit an object, which the controller may write at the same time.
func (v *visitor) edit(ctx context.Context, name string, change func(map[string]any) map[string]any) error {
	const tries = 10
	var err error
	for range tries {
		var object *unstructured.Unstructured
		resource := v.dynamic.Resource(v.resource).Namespace(Namespace)
		if object, err = resource.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		object.Object = change(object.Object)
		if _, err = resource.Update(ctx, object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return err
		}
	}
	return err
}

// label an object with what means nothing.
func (v *visitor) label(ctx context.Context, name string) error {
	return v.do(ctx, explore.Act{Deed: explore.Label, Object: name}, func() error {
		patch := fmt.Appendf(nil, `{"metadata": {"labels": {%q: "seen"}, "annotations": {%q: "seen"}}}`, explore.ProbeLabel, explore.ProbeLabel)
		object := &unstructured.Unstructured{}
		object.SetAPIVersion(v.resource.GroupVersion().String())
		object.SetKind(v.record.Kind)
		object.SetName(name)
		object.SetNamespace(Namespace)
		return v.client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", patch))
	}, func(after int64) error { return v.settle(ctx, after, v.patience()) })
}

// createSecond creates another object, a lean one where that is enough.
func (v *visitor) createSecond(ctx context.Context, name string) error {
	v.Console.Phase("creating another")
	known := v.record.Midway().Fields
	try := func(spec map[string]any) (bool, error) {
		err := v.do(ctx, explore.Act{Deed: explore.Create, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
			func(after int64) error { return v.settle(ctx, after, mostPatience) })
		if err != nil {
			return false, err
		}
		last := &v.record.Acts[len(v.record.Acts)-1]
		if last.Refused == "" && !v.record.Made(*last) {
			last.Refused = explore.NothingMade
		}
		return last.Refused == "", nil
	}
	if v.Lean != nil {
		ok, err := try(v.Lean(name, known))
		if err != nil || ok {
			v.Console.Done("a lean one got its children")
			return err
		}
		if err := v.remove(ctx, name); err != nil {
			return err
		}
	}
	ok, err := try(v.Spec(name, known))
	if ok {
		v.Console.Done("it got its children")
	} else {
		v.Console.Done("it got no children")
	}
	return err
}

// remove an object, and wait until it and its Deployments are gone.
func (v *visitor) remove(ctx context.Context, name string) error {
	resource := v.dynamic.Resource(v.resource).Namespace(Namespace)
	if err := resource.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s: %w", name, err)
	}
	err := v.await(ctx, rollout, func() (bool, error) {
		now := v.camera.filmed().At(1 << 62)
		for ref, object := range now {
			if ref.Kind == v.record.Kind && ref.Name == name ||
				slices.ContainsFunc(object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.Kind == v.record.Kind && o.Name == name }) {
				return false, nil
			}
		}
		return true, nil
	})
	if errors.Is(err, errLate) {
		return nil
	}
	return err
}

// delete an object.
func (v *visitor) delete(ctx context.Context, name string) error {
	return v.do(ctx, explore.Act{Deed: explore.Delete, Object: name}, func() error { return v.remove(ctx, name) }, func(after int64) error {
		return v.pass(ctx, silence)
	})
}

// serving finds out what it serves.
func (v *visitor) serving(ctx context.Context) error {
	ports, pages, err := v.session.Bench.Serving(ctx, Namespace, replica, v.paths())
	if err != nil {
		return err
	}
	v.record.Ports = ports
	for _, page := range pages {
		v.record.Pages = append(v.record.Pages, explore.Page(page))
	}
	return nil
}

// paths that are asked for on every port: the usual ones, and those that are declared.
func (v *visitor) paths() []string {
	paths := explore.Paths()
	for _, name := range []v1alpha1.EndpointName{v1alpha1.EndpointHealth, v1alpha1.EndpointMetrics} {
		if declared, ok := v.Profile.Endpoint(name); ok && !slices.Contains(paths, declared.Path) {
			paths = append(paths, declared.Path)
		}
	}
	return paths
}

// copyFor is a Deployment as the first object had, under another name, of nobody's.
func (v *visitor) copyFor(name, first, object string) (*unstructured.Unstructured, error) {
	var source *unstructured.Unstructured
	for _, frame := range v.camera.filmed().Of(v.record.Main()) {
		if !frame.Gone {
			source = frame.Object
		}
	}
	if source == nil {
		return nil, errors.New("copying a Deployment: there was none")
	}
	text, err := json.Marshal(source.Object["spec"])
	if err != nil {
		return nil, fmt.Errorf("copying a Deployment: %w", err)
	}
	spec := map[string]any{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), first, object)), &spec); err != nil {
		return nil, fmt.Errorf("copying a Deployment: %w", err)
	}
	stranger := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	stranger.SetAPIVersion("apps/v1")
	stranger.SetKind("Deployment")
	stranger.SetName(name)
	stranger.SetNamespace(Namespace)
	stranger.SetLabels(map[string]string{explore.StrangerLabel: "true"})
	return stranger, nil
}

// occupy the name of a child with a Deployment of nobody's, and create its object.
func (v *visitor) occupy(ctx context.Context, name string) error {
	v.Console.Phase("making trouble")
	midway := v.record.Midway()
	spec := v.Spec(name, midway.Fields)
	stranger, err := v.copyFor(midway.Deployment(name, spec), v.record.Acts[0].Object, name)
	if err != nil {
		return err
	}
	if err := v.client.Create(ctx, stranger); err != nil {
		return fmt.Errorf("creating a Deployment of nobody's: %w", err)
	}
	err = v.do(ctx, explore.Act{Deed: explore.Occupy, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.settle(ctx, after, v.patience()) })
	if err != nil {
		return err
	}
	err = v.do(ctx, explore.Act{Deed: explore.Vacate, Object: name}, func() error { return v.client.Delete(ctx, stranger) },
		func(after int64) error { return v.settle(ctx, after, mostPatience) })
	if err != nil {
		return err
	}
	return v.remove(ctx, name)
}

// foreign is a name that a Deployment of another controller has.
func (v *visitor) foreign(ctx context.Context, name string) error {
	midway := v.record.Midway()
	spec := v.Spec(name, midway.Fields)
	theirs, err := v.copyFor(midway.Deployment(name, spec), v.record.Acts[0].Object, name)
	if err != nil {
		return err
	}
	owner := &corev1.ConfigMap{}
	if err := v.client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: explore.ProbeConfigMap}, owner); err != nil {
		return fmt.Errorf("reading a ConfigMap: %w", err)
	}
	theirs.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: ptr.To(true),
	}})
	if err := v.client.Create(ctx, theirs); err != nil {
		return fmt.Errorf("creating a Deployment of another controller: %w", err)
	}
	err = v.do(ctx, explore.Act{Deed: explore.Foreign, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(after int64) error { return v.settle(ctx, after, v.patience()) })
	if err != nil {
		return err
	}
	if err := v.client.Delete(ctx, theirs); err != nil {
		return fmt.Errorf("deleting a Deployment of another controller: %w", err)
	}
	return v.remove(ctx, name)
}

// omit the image, and see whether the API server would take the object.
func (v *visitor) omit(ctx context.Context, name string) error {
	known := v.record.Midway().Fields
	path := known[explore.RoleImage]
	if path == "" {
		return nil
	}
	object := explore.With(map[string]any{"spec": v.Spec(name, known)}, path, nil)
	spec, _ := object["spec"].(map[string]any)
	return v.do(ctx, explore.Act{Deed: explore.Omit, Object: name, Path: path}, func() error {
		return v.create(ctx, name, spec, client.DryRunAll)
	}, func(int64) error { return nil })
}

// hinder the creation of a Deployment, and then let it be.
func (v *visitor) hinder(ctx context.Context, name string) error {
	fault := &v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{Name: "refused", Namespace: Namespace}}
	fault.Spec.Match.Verbs, fault.Spec.Match.Resources = []string{"create"}, []string{"deployments.apps"}
	fault.Spec.Action.Respond = &v1alpha1.Respond{Code: 403, Reason: "Forbidden", Message: "deployments.apps is forbidden: exceeded quota: look"}
	if err := v.client.Create(ctx, fault); err != nil {
		return fmt.Errorf("refusing Deployments: %w", err)
	}
	spec := v.Spec(name, v.record.Midway().Fields)
	err := v.do(ctx, explore.Act{Deed: explore.Hinder, Object: name, To: spec}, func() error { return v.create(ctx, name, spec) },
		func(int64) error { return v.pass(ctx, inTrouble) })
	if err != nil {
		return err
	}
	err = v.do(ctx, explore.Act{Deed: explore.Unhinder, Object: name}, func() error { return v.client.Delete(ctx, fault) },
		func(after int64) error { return v.settle(ctx, after, recovery) })
	if err == nil {
		v.Console.Done("saw what trouble does")
	}
	return err
}

// end the process in both ways.
func (v *visitor) end(ctx context.Context) error {
	v.Console.Phase("ending the process")
	for _, step := range []struct {
		deed   explore.Deed
		action v1alpha1.DisruptionAction
	}{
		{explore.Terminate, v1alpha1.ActionTerminate},
		{"", v1alpha1.ActionRestart},
		{explore.Interrupt, v1alpha1.ActionInterrupt},
	} {
		deed := func() error { return v.disrupt(ctx, step.action) }
		if step.deed == "" {
			if err := deed(); err != nil {
				return err
			}
			if err := v.pass(ctx, changePatience); err != nil {
				return err
			}
			continue
		}
		if err := v.do(ctx, explore.Act{Deed: step.deed}, deed, func(int64) error { return nil }); err != nil {
			return err
		}
	}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: subjectName, Namespace: Namespace}}
	if err := v.client.Delete(ctx, subject); err != nil {
		return fmt.Errorf("ending the controller: %w", err)
	}
	v.Console.Done("the process has ended")
	return nil
}

// disrupt the process, and wait until that is done, or has failed.
func (v *visitor) disrupt(ctx context.Context, action v1alpha1.DisruptionAction) error {
	d := &v1alpha1.Disruption{ObjectMeta: metav1.ObjectMeta{Name: strings.ToLower(string(action)), Namespace: Namespace}}
	d.Spec.Action = action
	if err := v.client.Create(ctx, d); err != nil {
		return fmt.Errorf("ordering %s: %w", action, err)
	}
	err := v.await(ctx, startPatience, func() (bool, error) {
		if err := v.client.Get(ctx, client.ObjectKeyFromObject(d), d); err != nil {
			return false, fmt.Errorf("looking at %s: %w", action, err)
		}
		return d.Status.Phase == v1alpha1.DisruptionDone || d.Status.Phase == v1alpha1.DisruptionFailed, nil
	})
	if errors.Is(err, errLate) {
		return nil // it shows in what was recorded
	}
	return err
}
