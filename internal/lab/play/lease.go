package play

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// leased checks what happens to the Lease if its holder is told to end while it writes.
// How long others wait for one that nobody gives back is a matter of its duration. That is
// short in a lab, and long here: on a busy machine a Lease of three seconds is lost.
func leased() play {
	long := []string{"--lease-duration=15s", "--renew-deadline=10s", "--retry-period=1s"}
	return play{elects: true, electing: long, rules: []rule{
		{"lease/given-back", "told to end while it leads, it ends without a failure, and leaves a Lease that nobody holds", givenBack},
		{"lease/to-the-end", "told to end while it writes, it keeps the Lease until that is written", toTheEnd},
	}}
}

func givenBack(ctx context.Context, s *stage) error {
	of, elects := s.profile.Lease(s.namespace)
	if !elects {
		return &unmet{found: "profile.yaml does not say how leader election is switched on: spec.launch.leaderElection"}
	}
	if err := s.leads(ctx, of); err != nil {
		return err
	}
	if err := s.delayCreate(ctx, "demo", slowly); err != nil {
		return err
	}
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := s.met(ctx, "faults", "demo", s.patience); wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("it holds the Lease, and has not tried to make Deployment demo within %s; %s", s.patience, s.lastWords(6)), early: true}
	} else if err != nil {
		return err
	}
	ended, err := s.disrupt(ctx, v1alpha1.ActionTerminate)
	if err != nil {
		return err
	}
	s.told, _ = s.ending(ended)
	const terminated = 143 // the status that shells give, and some runtimes
	if code := ended.ExitCode; code != nil && *code != 0 && *code != terminated {
		return &unmet{found: fmt.Sprintf("it was told to end while it led, and ended with status %d; %s", *code, s.lastWords(6))}
	}
	by, err := s.holder(ctx, of)
	if err == nil && by != "" {
		return &unmet{found: fmt.Sprintf("it has ended, and the Lease %s is still held by %s", of.Name, by)}
	}
	return err
}

// leads waits until somebody holds the Lease.
func (s *stage) leads(ctx context.Context, of v1alpha1.LeaseName) error {
	err := s.await(ctx, s.patience, func() (bool, error) {
		by, err := s.holder(ctx, of)
		return by != "", err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("nobody has taken the Lease %s within %s; %s", of.Name, s.patience, s.lastWords(6)), early: true}
	}
	return err
}

// toTheEnd looks at the result of the write during which the process was told to end.
func toTheEnd(ctx context.Context, s *stage) error {
	var subject v1alpha1.Subject
	if err := s.get(ctx, "subjects", "subject", &subject); err != nil {
		return err
	}
	for _, v := range subject.Status.Violations {
		if v.Rule == v1alpha1.RuleNotLeader {
			return &unmet{found: v.Message}
		}
	}
	for _, at := range s.answered("create", "demo") {
		if at.Before(s.told) {
			return errTooSlow // It was told to end only when that was written.
		}
	}
	if done, err := s.there(ctx, "demo"); done || err != nil {
		return err
	}
	return &unmet{found: "it gave the Lease back and ended, and broke off the create of Deployment demo; " + s.lastWords(6)}
}
