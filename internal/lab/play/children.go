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
	// slowAnswer is how long the API server takes for an answer if the machine has no time.
	slowAnswer = 400 * time.Millisecond
)

// children checks how a controller notices that its child is gone: by a watch, or by polling.
func children() play {
	return play{rules: []rule{
		{"children/at-rest", fmt.Sprintf("looks at no WebApp for %s when nothing has changed", still), atRest},
		{"children/at-once", fmt.Sprintf("makes its Deployment again within %s after each of two deletions", healing), atOnce},
		{"children/tombstone", "makes its children again if they were deleted while the watch was broken, as soon as the next list shows it", childTombstone},
	}}
}

// atRest waits until nobody has looked for long enough: the status of a new Deployment
// changes a few times.
func atRest(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := first(s.served(ctx, "demo", s.patience)); err != nil {
		return err
	}
	started, looks, since := s.about("Started", "demo"), 0, time.Now()
	long := s.patience + still
	err := s.await(ctx, long, func() (bool, error) {
		if n := count(s.lines(), started); n != looks {
			looks, since = n, time.Now()
		}
		return time.Since(since) > still, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("it has looked at WebApp demo %d times in %s, and nothing has changed: it polls; %s", looks, long, s.lastWords(6))}
	}
	return err
}

// atOnce deletes the Deployment twice. If the machine was slow, it does so once more.
func atOnce(ctx context.Context, s *stage) error {
	const deletions, attempts = 2, 4
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
		slowest, found := s.recorder.Slowest(began, time.Now())
		switch slow := found && slowest.Duration.Duration >= slowAnswer; {
		case took <= healing:
			if quick++; quick == deletions {
				return nil
			}
		case late:
			return &unmet{found: fmt.Sprintf("Deployment demo was deleted, and is not there again %s later; %s", long, s.lastWords(6))}
		case !slow:
			return &unmet{found: fmt.Sprintf("Deployment demo was deleted, and is there again only %s later; %s", rounded(took), s.lastWords(6))}
		}
	}
	return errTooSlow
}

// loseChild deletes the Deployment of a WebApp, as somebody else.
func (s *stage) loseChild(ctx context.Context, name string) error {
	if err := s.kube.AppsV1().Deployments(s.namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
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

// madeAfterGap loses a child of WebApp demo in a gap of the watch, and expects it again as
// soon as the controller has listed: who waits for a resync makes it later.
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
		if slowest, found := s.recorder.Slowest(began, made); found && slowest.Duration.Duration >= slowAnswer {
			return errTooSlow
		}
		return &unmet{found: fmt.Sprintf("%s; it was made again only %s after that; %s", what, rounded(late), s.lastWords(6))}
	}
	return nil
}
