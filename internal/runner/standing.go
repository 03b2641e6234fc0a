package runner

import (
	"context"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/cluster"
)

// Standing is a control plane of our own that another process keeps up for several
// sessions. That saves time: the control plane takes seconds to start, and the bench only a
// fraction of a second.
type Standing struct {
	// Kubeconfig is a file with an administrator's access.
	Kubeconfig string
	// BinDir holds its binaries, kubectl among them.
	BinDir string
	// Fresh is true if no session has used it yet: the first one takes longer to open.
	Fresh bool
	// Done is closed when it has ended.
	Done <-chan struct{}
}

// sweep removes what earlier sessions have left on a standing control plane, and lets this
// session do the same at its end.
func (s *Session) sweep(ctx context.Context) error {
	if err := cluster.Sweep(ctx, s.Config); err != nil {
		return err
	}
	s.onClose(func(ctx context.Context) error { return cluster.Sweep(ctx, s.Config) })
	return nil
}

// Judge carries out the plans of several implementations once, on a session that is up. It
// returns the results of each by its name. Their names must not have been used on that
// control plane before. The session either has the profile of the first one, or knows the
// profiles of all by the namespaces of their scenarios.
func Judge(ctx context.Context, session *Session, implementations []*Implementation, options Options) (map[string][]v1alpha1.Result, error) {
	options.Repeat = 1
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if err := checkNames(implementations); err != nil {
		return nil, err
	}
	if err := fit(ctx, implementations, &options); err != nil {
		return nil, err
	}
	r := newRun(session, implementations, &options)
	r.accuse, r.lookTwice = func(v1alpha1.Result) {}, true
	return r.once(ctx)
}
