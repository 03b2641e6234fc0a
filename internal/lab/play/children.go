package play

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// still is how long nobody may look at a WebApp when nothing has changed.
	still = 3 * time.Second
	// healing is how long a Deployment may be missing. It is less than still. So a controller
	// that polls fails one of two rules: either it polls within still, or it comes too late
	// after the second deletion.
	healing = 2500 * time.Millisecond
	// restful is longer than a resync that heals what no event has told of.
	restful = 8 * time.Second
	// deletions is how often a Deployment is deleted. The first may be healed by a poll that
	// happens to come, and the last ones wait if the pauses grow with each event.
	deletions = 4
	// hanging is how long a create is not answered. It is more than healing.
	hanging = 5 * time.Second
	// slowAnswer is how long the API server takes for an answer if the machine has no time.
	slowAnswer = 400 * time.Millisecond
)

// children checks how a controller notices that its child is gone: by a watch, or by polling.
func children() play {
	return play{apart: map[string]bool{"children/others": true, "children/side-by-side": true, "children/missed": true, "children/no-resync": true}, rules: []rule{
		{
			"children/at-rest", fmt.Sprintf("looks at no WebApp for %s when nothing has changed", still),
			func(ctx context.Context, s *stage) error {
				if err := s.create(ctx, "demo"); err != nil {
					return err
				}
				if err := first(s.served(ctx, "demo", s.patience)); err != nil {
					return err
				}
				return s.restful(ctx, still)
			},
		},
		{"children/at-once", fmt.Sprintf("makes its Deployment again within %s after each of %d deletions", healing, deletions), atOnce},
		{"children/others", "looks at the WebApp that controls a child, and at no other, when that child is gone", noOthers},
		{"children/side-by-side", fmt.Sprintf("makes a Deployment again within %s while the create of another is not answered", healing), besideOneThatHangs},
		{"children/tombstone", "makes its children again if they were deleted while the watch was broken, as soon as the next list shows it", childTombstone},
		{
			"children/no-resync", fmt.Sprintf("looks at no WebApp for %s when nothing has changed", restful),
			func(ctx context.Context, s *stage) error { return s.restful(ctx, restful) },
		},
		{"children/missed", fmt.Sprintf("makes the Deployment of a WebApp that was created while it was stopped, within %s after its first list", healing), missed},
	}}
}

// restful waits until nobody has looked at WebApp demo for long enough: the status of a new
// Deployment changes a few times.
func (s *stage) restful(ctx context.Context, enough time.Duration) error {
	started := s.about("Started", "demo")
	before := count(s.lines(), started)
	looks, since := before, time.Now()
	long := s.patience + enough
	err := s.await(ctx, long, func() (bool, error) {
		if n := count(s.lines(), started); n != looks {
			looks, since = n, time.Now()
		}
		return time.Since(since) > enough, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("it has looked at WebApp demo %d times in %s, and nothing has changed: it polls; %s", looks-before, long, s.lastWords(6))}
	}
	return err
}

// atOnce deletes the Deployment some times. If the machine was slow, it does so once more.
func atOnce(ctx context.Context, s *stage) error {
	const attempts = deletions + 2
	quick := 0
	for range attempts {
		began := time.Now()
		if err := s.loseChild(ctx, "demo"); err != nil {
			return err
		}
		long := max(s.patience, healing)
		err := s.await(ctx, long, func() (bool, error) { return s.there(ctx, "demo") })
		late := wait.Interrupted(err) && ctx.Err() == nil
		if err != nil && !late {
			return err
		}
		took := time.Since(began)
		switch slow := s.answeredSlowly(began, time.Now()); {
		case took <= healing:
			if quick++; quick == deletions {
				return nil
			}
		case late:
			return &unmet{found: fmt.Sprintf("Deployment demo was deleted, and is not there again %s later%s; %s", long, afterQuick(quick), s.lastWords(6))}
		case !slow:
			return &unmet{found: fmt.Sprintf("Deployment demo was deleted, and is there again only %s later%s; %s", rounded(took), afterQuick(quick), s.lastWords(6))}
		}
	}
	return errTooSlow
}

// noOthers deletes the Deployment of one WebApp of two.
func noOthers(ctx context.Context, s *stage) error {
	if err := s.createServed(ctx, neighbour); err != nil {
		return err
	}
	for _, name := range []string{neighbour, "demo"} {
		if err := s.noMoreEvents(ctx, name); err != nil {
			return err
		}
	}
	started := s.about("Started", neighbour)
	before := count(s.lines(), started)
	if err := s.loseChild(ctx, "demo"); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("Deployment demo was deleted, and is not there again %s later; %s", s.patience, s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	if err := s.noMoreEvents(ctx, "demo"); err != nil {
		return err
	}
	if looks := count(s.lines(), started) - before; looks > 0 {
		return &unmet{found: fmt.Sprintf("the Deployment of WebApp demo was deleted, and WebApp %s was looked at, too (%d times), though nothing of it has changed; %s",
			neighbour, looks, s.lastWords(6))}
	}
	return amongOwners(ctx, s)
}

// amongOwners makes the other WebApp the first owner of the Deployment, and deletes that. The
// one that controls it must be looked at.
func amongOwners(ctx context.Context, s *stage) error {
	first, err := s.asOwner(ctx, neighbour)
	if err != nil {
		return err
	}
	deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("reading the owners of a Deployment: %w", err)
	}
	if err := s.setOwners(ctx, "demo", append([]metav1.OwnerReference{first}, deployment.OwnerReferences...)...); err != nil {
		return err
	}
	if err := s.noMoreEvents(ctx, "demo"); err != nil {
		return err
	}
	if err := s.loseChild(ctx, "demo"); err != nil {
		return err
	}
	err = s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("Deployment demo had two owners: first WebApp %s, and then WebApp demo, which controlled it. It was deleted, and is not there again %s later; %s",
			neighbour, s.patience, s.lastWords(6))}
	}
	return err
}

// answeredSlowly says whether an answer took so long that being late proves nothing.
func (s *stage) answeredSlowly(from, until time.Time) bool {
	slowest, found := s.recorder.Slowest(from, until)
	return found && slowest.Duration.Duration >= slowAnswer
}

// afterQuick says that it was made again at once before. Who polls is not quick twice in a row.
func afterQuick(times int) string {
	if times < 2 {
		return ""
	}
	return fmt.Sprintf(", and the %d times before that it was there at once", times)
}

// missed creates a WebApp while the controller is stopped. Its first list has it: a controller
// that waits for a resync makes the Deployment later.
func missed(ctx context.Context, s *stage) error {
	if _, err := s.disrupt(ctx, v1alpha1.ActionTerminate); err != nil {
		return err
	}
	const name = "missed"
	if err := s.create(ctx, name); err != nil {
		return err
	}
	began := time.Now()
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	const done = "a WebApp was created while the controller was stopped"
	if err := told(s.served(ctx, name, s.patience), done); err != nil {
		return err
	}
	made := time.Now()
	listing := v1alpha1.RequestMatch{Verbs: []string{history.VerbList, history.VerbWatch}, Resources: []string{webApps.GroupResource().String()}}
	for _, r := range s.recorder.Requests(history.Query{Scenario: s.namespace, Since: began, Match: listing}) {
		if r.Time.Before(made) {
			began = r.Time // The list, or the watch that follows it.
		}
	}
	if late := made.Sub(began); late > expectation.Scaled(healing, max(1, s.factor)) {
		if s.answeredSlowly(began, made) {
			return errTooSlow
		}
		return &unmet{found: fmt.Sprintf("%s; it was started again, and made the Deployment only %s after its first list; %s", done, rounded(late), s.lastWords(6))}
	}
	return nil
}

// besideOneThatHangs deletes the Deployments of two WebApps, one after the other, while the
// create of the first is not answered. If a handler of events does the work, the second event
// waits behind the first.
func besideOneThatHangs(ctx context.Context, s *stage) error {
	const hangs, other = "halting", "swift"
	for _, name := range []string{hangs, other} {
		if err := s.create(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range []string{hangs, other} {
		if err := first(s.served(ctx, name, s.patience)); err != nil {
			return err
		}
		if err := s.noMoreEvents(ctx, name); err != nil {
			return err
		}
	}
	if err := s.onCreate(ctx, "deployments.apps", hangs, map[string]any{"delayMs": hanging.Milliseconds()}); err != nil {
		return err
	}
	began := time.Now()
	if err := s.loseChild(ctx, hangs); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return len(s.tries("create", hangs, began)) > 0, nil })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("Deployment %s was deleted, and was not created again in %s; %s", hangs, s.patience, s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	began = time.Now()
	if err := s.loseChild(ctx, other); err != nil {
		return err
	}
	err = s.await(ctx, s.patience+hanging, func() (bool, error) { return s.there(ctx, other) })
	late := wait.Interrupted(err) && ctx.Err() == nil
	if err != nil && !late {
		return err
	}
	if took := time.Since(began); took > healing {
		if s.answeredSlowly(began, time.Now()) {
			return errTooSlow
		}
		return &unmet{found: fmt.Sprintf("the create of Deployment %s is not answered for %s; meanwhile Deployment %s was deleted, and is not there again %s later: it waits for the other; %s",
			hangs, hanging, other, rounded(min(took, healing)), s.lastWords(6))}
	}
	return s.endFault(ctx, hangs)
}

// loseChild deletes the Deployment of a WebApp, if it has one, as somebody else.
func (s *stage) loseChild(ctx context.Context, name string) error {
	err := s.kube.AppsV1().Deployments(s.namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting a Deployment: %w", err)
	}
	return nil
}

// loseService deletes the Service of a WebApp, if it has one, as somebody else.
func (s *stage) loseService(ctx context.Context, name string) error {
	err := s.kube.CoreV1().Services(s.namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting a Service: %w", err)
	}
	return nil
}

// childTombstone deletes each child while the watches of its kind are broken, so that the
// controller gets no event of the deletion.
func childTombstone(ctx context.Context, s *stage) error {
	if err := s.madeAfterGap(ctx, "Deployment", deployments, s.loseChild); err != nil {
		return err
	}
	if has, err := s.exists(ctx, services, "demo"); !has || err != nil {
		return err // The controller makes no Services.
	}
	return s.madeAfterGap(ctx, "Service", services, s.loseService)
}

// madeAfterGap loses a child of WebApp demo in a gap of the watch, and expects it again as soon
// as the controller has listed: a controller that waits for a resync makes it later.
func (s *stage) madeAfterGap(ctx context.Context, kind string, children schema.GroupVersionResource, lose func(context.Context, string) error) error {
	resource := children.GroupResource().String()
	if err := s.loseDeletion(ctx, func() error { return lose(ctx, "demo") }, resource); err != nil {
		return err
	}
	what := fmt.Sprintf("%s demo was deleted while the watch of %ss was broken, and the next list did not have it", kind, kind)
	began := time.Now()
	listing := v1alpha1.RequestMatch{Verbs: []string{history.VerbList, history.VerbWatch}, Resources: []string{resource}}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, children, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%s; it was not made again within %s; %s", what, s.patience, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	made := time.Now()
	for _, r := range s.recorder.Requests(history.Query{Scenario: s.namespace, Since: began, Match: listing}) {
		if r.Time.Before(made) {
			began = r.Time // The last that it has asked for before it was made.
		}
	}
	if late := made.Sub(began); late > expectation.Scaled(healing, max(1, s.factor)) {
		if s.answeredSlowly(began, made) {
			return errTooSlow
		}
		return &unmet{found: fmt.Sprintf("%s; it was made again only %s after that; %s", what, rounded(late), s.lastWords(6))}
	}
	return nil
}
