package visit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/verdict/seen"
)

// starts is how often the controller may be started before it is said to end by itself.
const starts = 3

// start starts the controller.
func (v *visitor) start(ctx context.Context) error {
	v.Console.Phase("starting the controller")
	subject, err := v.launch(ctx, subjectName, v1alpha1.RestartAlways)
	if err != nil {
		return err
	}
	err = v.await(ctx, startPatience, func() (bool, error) {
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
	if barred := v.barred(); err != nil && !errors.Is(err, errOver) && len(barred) > 0 && v.Rehearse {
		return &Barred{barred} // that may be why it does not start
	}
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

// launch lets the bench start one process of the controller.
func (v *visitor) launch(ctx context.Context, name string, restart v1alpha1.RestartPolicy) (*v1alpha1.Subject, error) {
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace}}
	subject.Spec.Replicas, subject.Spec.Restart, subject.Spec.LeaderElection = 1, restart, v.Election
	if err := v.client.Create(ctx, subject); err != nil {
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	return subject, nil
}

// asked tells whether any request came through the proxy.
func (v *visitor) asked() bool { return len(v.session.Recorder.Account(Namespace).Requests) > 0 }

// createFirst creates an object with any name. If that is refused, or the controller makes
// nothing for it, it creates one with the name of the sample.
func (v *visitor) createFirst(ctx context.Context) error {
	name := v.named("first-look")
	err := v.tryFirst(ctx, name)
	if errors.Is(err, errOver) {
		return err
	}
	if barred := v.barred(); len(barred) > 0 && v.Rehearse {
		return &Barred{barred}
	}
	var (
		refused   *Refused
		fruitless *Fruitless
	)
	if v.Name != "" || v.OwnName == "" || !errors.As(err, &refused) && !errors.As(err, &fruitless) {
		return err
	}
	if err := v.remove(ctx, name); err != nil {
		return err
	}
	v.record.Acts = nil
	if v.tryFirst(ctx, v.OwnName) != nil {
		return err
	}
	v.Name, v.record.FixedName = v.OwnName, v.OwnName
	return nil
}

// barred returns the cluster-scoped resources whose writes the bench has refused.
func (v *visitor) barred() []string { return infer.Barred(v.session.Recorder.Account(Namespace)) }

func (v *visitor) tryFirst(ctx context.Context, name string) error {
	v.Console.Phase("creating " + profile.WithArticle(v.record.Kind))
	if v.Around != nil {
		v.record.Around = v.Around(name)
	}
	began := time.Now()
	spec := v.Spec(name, nil)
	create := func() error { // A field that the CRD does not have would be dropped silently.
		return v.create(ctx, name, spec, client.FieldValidation(metav1.FieldValidationStrict))
	}
	err := v.do(ctx, infer.Act{Deed: infer.Create, Object: name, To: spec}, create, func(after int64) error {
		var barred time.Time // when the bench was first seen to have refused a write
		err := v.await(ctx, firstPatience, func() (bool, error) {
			if err := v.crashing(); err != nil {
				return false, err
			}
			if v.Rehearse && barred.IsZero() && len(v.barred()) > 0 {
				barred = time.Now()
			}
			if !barred.IsZero() && time.Since(barred) > untilMoreBarred {
				return false, &Barred{v.barred()} // it will be looked at again, whatever comes now
			}
			if count, _ := v.writes(after); count > 0 && v.reaction == 0 {
				v.reaction = time.Since(began)
			}
			if v.cluster {
				return v.reaction > 0, nil // there will be no contract, whatever it makes
			}
			return slices.ContainsFunc(v.camera.filmed(), func(f infer.Frame) bool { return v.record.IsWorkload(f.Object.GetKind()) }), nil
		})
		if !errors.Is(err, errLate) && err != nil {
			return err
		}
		if errors.Is(err, errLate) {
			return v.withoutWorkload(after)
		}
		if err := v.awaitOwn(ctx, name); err != nil {
			return err
		}
		if v.cluster {
			v.record.Workless = "its objects have no namespace, and a contract is about objects in one"
		}
		return v.settle(ctx, after, v.patience())
	})
	if err == nil && v.record.Acts[0].Refused != "" {
		return &Refused{"the API server refuses the " + v.record.Kind + ": " + v.record.Acts[0].Refused}
	}
	if err == nil && v.record.Workless == "" && v.record.Main().Name == "" {
		return v.fruitless("the controller made a workload for %s, and that is gone again%s; to be judged, an object must stay", name, deletions(v.record.Account))
	}
	if err == nil && v.record.Workless != "" {
		v.Console.Done("it was seen what it makes")
		v.Console.Printf("there will be no contract, because %s", v.record.Workless)
	} else if err == nil {
		v.Console.Done("it made children")
	}
	if v.slowness() > 0 && err == nil {
		v.Console.Printf("its first write came after %s: each step waits for that long, too", v.reaction.Round(100*time.Millisecond))
	}
	return err
}

// crashing returns an error if the controller ends by itself again and again.
func (v *visitor) crashing() error {
	crashes := infer.Crashes(v.session.Recorder.Account(Namespace))
	if len(crashes) < starts || len(v.barred()) > 0 && v.Rehearse { // it will be looked at again with that right
		return nil
	}
	return v.fruitless("as soon as there is %s, the controller ends by itself, %d times: %s",
		profile.WithArticle(v.record.Kind), len(crashes), crashes[0].Message)
}

// awaitOwn waits for a workload that is the object's own, if what was made first may be shared by
// all objects: a controller may wait until that is ready.
func (v *visitor) awaitOwn(ctx context.Context, name string) error {
	return v.awaitAtMost(ctx, ownPatience, func() (bool, error) {
		return v.cluster || slices.ContainsFunc(v.camera.filmed(), func(f infer.Frame) bool {
			return v.record.IsWorkload(f.Object.GetKind()) && v.record.IsOwn(f.Object, name)
		}), nil
	})
}

// nothingMade says why no object with a Pod template was created.
func (v *visitor) nothingMade() error {
	account := v.session.Recorder.Account(Namespace)
	for _, e := range seen.Elections(account, v.record.Home) {
		if !e.Held && e.Lease.Namespace != "" && v.Profile.Spec.Launch.LeaderElection == nil {
			return &Elsewhere{e.Lease}
		}
	}
	if v.asksAtHomeOnly(account) {
		return &AtHome{v.record.Kind}
	}
	if served := v.resource.GroupResource(); !slices.ContainsFunc(account.Requests, func(q history.Request) bool { return q.GroupResource() == served }) {
		if why := cannotLead(account); why != "" {
			return v.fruitless("%s", why)
		}
		return v.fruitless("within %s the controller has not asked for any %s (it sent %d requests%s): is that the resource that it serves, in the group and with the plural name that it asks for",
			firstPatience, served, len(account.Requests), made(account))
	}
	return v.fruitless("the controller made nothing with a Pod template (a Deployment, a StatefulSet, a CronJob) within %s (it sent %d requests%s)", firstPatience, len(account.Requests), made(account))
}

// cannotLead says that the roles of a controller keep it from being the leader, or returns
// "".
func cannotLead(account history.Account) string {
	for _, q := range account.Requests {
		if q.Group == "coordination.k8s.io" && q.Resource == "leases" && q.Code == http.StatusForbidden && q.Fault == "" {
			return fmt.Sprintf("the controller cannot become the leader, and waits for that: its roles do not let it %s leases.coordination.k8s.io in its own namespace. "+
				"Give the roles for its election by --rbac, too (install.rbac), or switch the election off", q.Verb)
		}
	}
	return ""
}

// made returns the kinds of what was created, in words.
func made(account history.Account) string {
	var resources []string
	for _, q := range account.Requests {
		name := strings.TrimSuffix(q.Resource+"."+q.Group, ".")
		if q.Verb == history.VerbCreate && q.Effect == history.EffectEffective && !slices.Contains(resources, name) &&
			!q.IsElection() && q.Resource != "events" {
			resources = append(resources, name)
		}
	}
	if len(resources) == 0 {
		return ""
	}
	return "; it made: " + strings.Join(resources, ", ")
}

// asksAtHomeOnly tells whether the controller asked for its objects only in the namespace
// that it runs in.
func (v *visitor) asksAtHomeOnly(account history.Account) bool {
	asked := false
	for _, q := range account.Requests {
		if q.Resource != v.resource.Resource || q.Group != v.resource.Group {
			continue
		}
		asked = true
		if q.Namespace != v.record.Home || q.Namespace == Namespace {
			return false
		}
	}
	return asked
}
