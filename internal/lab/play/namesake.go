package play

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/wait"
)

// namesake checks whether a WebApp gets its Deployment once somebody else's of that name is
// gone, in a controller that does not retry yet.
func namesake() play {
	return play{rules: []rule{{
		"namesake/gone", "makes the Deployment, or the Service, when somebody else's of that name is deleted", vacated,
	}}}
}

func vacated(ctx context.Context, s *stage) error {
	if err := s.occupy(ctx, "shop", nil, nil); err != nil {
		return err
	}
	if err := s.create(ctx, "shop"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Finished", "shop", 0); err != nil {
		return err
	}
	if err := s.finished(ctx, "shop"); err != nil {
		return err
	}
	if err := s.loseChild(ctx, "shop"); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "shop") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("somebody else's Deployment shop was deleted, and %s later WebApp shop still has none of its own; %s", s.patience, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	return vacatedService(ctx, s)
}

// vacatedService does the same with a Service, when the events of the Deployment are over.
func vacatedService(ctx context.Context, s *stage) error {
	const name = "market"
	if _, err := s.occupyService(ctx, name, nil); err != nil {
		return err
	}
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	if err := s.noMoreEvents(ctx, name); err != nil {
		return err
	}
	if err := s.loseService(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("somebody else's Service %[1]s was deleted, and %[2]s later WebApp %[1]s still has none of its own; %[3]s", name, s.patience, s.lastWords(6))}
	}
	return err
}
