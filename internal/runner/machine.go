package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
)

// fit skips what cannot be judged here: because the machine cannot isolate replicas or
// measure them, or because the cluster is not ours. It returns an error if nothing is left
// to run.
func fit(ctx context.Context, implementations []*Implementation, options *Options) error {
	if options.Launcher == nil {
		launcher, err := newLauncher(ctx, options.Unconfined)
		if err != nil {
			return err
		}
		options.Launcher = launcher
	}
	for _, need := range []struct {
		what   string
		cannot error
		has    func(*profile.Profile, Planned) bool
	}{
		{"needs a cluster with nodes", options.checkNodes(), func(_ *profile.Profile, s Planned) bool { return s.Requirement.Nodes }},
		{"is about the controller's own Pod", options.checkShipped(), func(_ *profile.Profile, s Planned) bool { return s.Requirement.InCluster }},
		{"needs several replicas", options.checkReplicas(), func(_ *profile.Profile, s Planned) bool { return s.Test.Scenario.SeveralReplicas() }},
		{"needs several replicas, which listen on fixed ports", options.checkNetwork(), func(p *profile.Profile, s Planned) bool {
			return len(p.Spec.Launch.FixedPorts) > 0 && s.Test.Scenario.SeveralReplicas()
		}},
		{"lets the controller compete for its Lease", options.checkElection(), func(p *profile.Profile, s Planned) bool {
			election := p.Spec.Launch.LeaderElection
			return election != nil && election.Lease.Namespace == "" && s.Test.Scenario.Elects()
		}},
		{"interrupts a process, or gives it another token", options.checkProcesses(), func(_ *profile.Profile, s Planned) bool { return s.Test.Scenario.NeedsProcesses() != "" }},
		{"needs webhooks of the controller", options.checkProcesses(), func(_ *profile.Profile, s Planned) bool {
			return slices.Contains(s.Requirement.Features, v1alpha1.FeatureWebhook)
		}},
		{"lets the controller convert objects", options.checkConversion(), func(_ *profile.Profile, s Planned) bool {
			return slices.Contains(s.Requirement.Features, v1alpha1.FeatureConversion)
		}},
		{"measures processes", options.checkUsage(), func(_ *profile.Profile, s Planned) bool { return s.Test.Scenario.MeasuresProcesses() }},
		{"makes Nodes of its own and loses them", options.checkSharing(), func(_ *profile.Profile, s Planned) bool { return s.Requirement.OwnNodes }},
		{"is about objects without a namespace", options.checkSharing(), func(p *profile.Profile, _ Planned) bool { return p.ServesCluster() }},
		{"changes something that all scenarios share", options.checkSharing(), func(_ *profile.Profile, s Planned) bool { return s.Requirement.Serial }},
	} {
		if need.cannot == nil {
			continue
		}
		left := 0
		for _, i := range implementations {
			i.Plan.leaveOut(func(s Planned) bool { return need.has(i.Profile, s) }, fmt.Sprintf("%s, and %v", need.what, need.cannot))
			left += len(i.Plan.Scenarios)
		}
		if left == 0 {
			return fmt.Errorf("nothing to run: all that is selected %s, and %w", need.what, need.cannot)
		}
	}
	return nil
}

// checkNodes says why there are no nodes, or returns nil.
func (o *Options) checkNodes() error {
	if o.Kubeconfig != "" {
		return nil
	}
	return errors.New("the local control plane has none (--kubeconfig FILE)")
}

// checkShipped says why the controller does not run as a Pod, or returns nil.
func (o *Options) checkShipped() error {
	if o.InCluster {
		return nil
	}
	return errors.New("the controller runs as a process (--in-cluster)")
}

// checkReplicas says why several replicas cannot run, or returns nil.
func (o *Options) checkReplicas() error {
	if o.InCluster {
		return nil
	}
	return o.Launcher.CheckReplicas()
}

// checkNetwork says why replicas share a network, or returns nil if each has its own.
func (o *Options) checkNetwork() error {
	if o.InCluster || o.Launcher.OwnNetwork() {
		return nil
	}
	return errors.New("this machine cannot give each replica a network of its own")
}

// serial tells whether only one scenario of an implementation may run at a time.
func (o *Options) serial(implementations []*Implementation) bool {
	return slices.ContainsFunc(implementations, func(i *Implementation) bool {
		launch := i.Profile.Spec.Launch
		return launch.Serial || i.Profile.ServesCluster() || len(launch.FixedPorts) > 0 && o.checkNetwork() != nil
	})
}

// checkElection says why a controller may not find the namespace of its Lease, or returns
// nil.
func (o *Options) checkElection() error {
	if o.InCluster {
		return nil
	}
	return o.Launcher.CheckElection()
}

// checkProcesses says why the controllers are not processes of this machine, or returns
// nil.
func (o *Options) checkProcesses() error {
	if o.InCluster {
		return errors.New("the controller runs as a Pod")
	}
	return nil
}

// checkConversion says why the definition of a primary object cannot name a webhook of the
// bench, or returns nil.
func (o *Options) checkConversion() error {
	if o.Kubeconfig != "" {
		return errors.New("the definition on this cluster stays as it is (leave out --kubeconfig)")
	}
	return nil
}

// checkUsage says why the resource usage of processes cannot be measured, or returns nil.
func (o *Options) checkUsage() error {
	return cmp.Or(o.checkProcesses(), sandbox.CheckUsage())
}

// newLauncher returns a launcher that isolates subjects as well as this machine allows, or,
// if unconfined is true, one that lets them run as root.
func newLauncher(ctx context.Context, unconfined bool) (*sandbox.Launcher, error) {
	launcher, err := sandbox.NewLauncher(ctx)
	if err != nil {
		return nil, fmt.Errorf("preparing to launch subjects: %w", err)
	}
	if unconfined {
		launcher.Unconfine()
	}
	return launcher, nil
}

// checkSharing says why nothing may be changed that all objects of the resource share. It
// returns nil on a control plane of our own, because nobody else has objects there.
func (o *Options) checkSharing() error {
	if o.Kubeconfig == "" {
		return nil
	}
	return errors.New("the cluster of --kubeconfig is used by others, too")
}

// leaveOut skips some scenarios and gives a reason.
func (p *Plan) leaveOut(which func(Planned) bool, reason string) {
	p.Scenarios = slices.DeleteFunc(slices.Clone(p.Scenarios), func(planned Planned) bool {
		if !which(planned) {
			return false
		}
		result := newResult(planned.Requirement)
		result.Verdict, result.Reason = v1alpha1.Skipped, reason
		p.Skipped = append(p.Skipped, result)
		return true
	})
}
