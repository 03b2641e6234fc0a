package play

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// later checks whether a controller still works after a while.
func later() play {
	return play{rules: []rule{{
		"later/works", fmt.Sprintf("makes the Deployment of a WebApp that is created %s after its start", aWhile), works,
	}}}
}

// aWhile is longer than the grace period that the controllers of the labs have at their end.
const aWhile = 12 * time.Second

func works(ctx context.Context, s *stage) error {
	began := time.Now()
	if err := s.await(ctx, aWhile+time.Second, func() (bool, error) { return time.Since(began) > aWhile, nil }); err != nil {
		return err
	}
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	return told(s.served(ctx, "demo", s.patience), fmt.Sprintf("the controller was started, and %s later a WebApp was created", aWhile))
}

// exit checks how a process ends that cannot do its work: there is no cluster.
func exit() play {
	return play{unready: true, arguments: []string{"--kubeconfig=there-is-no-such-file"}, rules: []rule{
		{"exit/failure", "ends with another status than 0 if it does not find the cluster", clusterless},
	}}
}

func clusterless(ctx context.Context, s *stage) error {
	var ended *v1alpha1.Exit
	err := s.await(ctx, s.starting, func() (bool, error) {
		var subject v1alpha1.Subject
		if err := s.get(ctx, "subjects", "subject", &subject); err != nil {
			return false, err
		}
		for _, r := range subject.Status.Replicas {
			ended = r.LastExit
		}
		return ended != nil, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("it was started with the name of a kubeconfig that does not exist, and still runs %s later; %s", s.starting, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	if ended.Code == 0 {
		return &unmet{found: "it was started with the name of a kubeconfig that does not exist, and ended with status 0, as after a success; " + s.lastWords(6)}
	}
	return nil
}
