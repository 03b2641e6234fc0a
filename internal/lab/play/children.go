package play

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
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
		{"children/tombstone", "makes its Deployment again if that was deleted while the watch was broken", childTombstone},
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

// childTombstone deletes a Deployment while the watches of Deployments are broken, so that
// the controller gets no event of the deletion.
func childTombstone(ctx context.Context, s *stage) error {
	if err := s.loseDeletion(ctx, func() error { return s.loseChild(ctx, "demo") }, "deployments.apps"); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("Deployment demo was deleted while the watch of Deployments was broken, and the next list did not have it; "+
			"it was not made again within %s; %s", s.patience, s.lastWords(6))}
	}
	return err
}
