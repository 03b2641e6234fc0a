package subject

import (
	"context"
	"fmt"
	"net"

	"reconform.dev/reconform/internal/process/incluster"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/proxy"
)

// Pods holds the settings for replicas that run as Pods.
type Pods struct {
	// RelayImage is the image of the container that runs beside them.
	RelayImage string
}

// inPod starts the Pods of one replica.
type inPod struct{ replica *incluster.Replica }

func (i inPod) start(ctx context.Context) (process, error) { return i.replica.Start(ctx) }
func (i inPod) remove(ctx context.Context) error           { return i.replica.Remove(ctx) }

// preparePod prepares the start of the replica as a Pod.
func (r *replica) preparePod() error {
	p := r.env.Profile(r.subject.Namespace)
	deployment, container, err := p.Deployment()
	if err != nil {
		return fmt.Errorf("reading how %s is shipped: %w", p.Name, err)
	}
	spec := incluster.Spec{
		Name: r.name, Namespace: r.env.home(r.subject), ServiceAccount: r.subject.Name,
		Deployment: deployment, Container: container, Image: p.Spec.Launch.InCluster.Image,
		RelayImage: r.env.Pods.RelayImage, HostNames: proxy.ServiceNames(), Serve: r.proxy.Serve, CA: r.env.Authority.Bundle(),
	}
	if spec.Host, spec.Port, err = net.SplitHostPort(r.proxy.Address()); err != nil {
		return fmt.Errorf("reading the address of the proxy of %s: %w", r.name, err)
	}
	r.ports = map[string]int{}
	for name, port := range p.Spec.Launch.InCluster.Ports {
		r.ports[name] = int(port)
	}
	with := r.launchData()
	if spec.Args, err = p.ArgsInCluster(with); err != nil {
		return err
	}
	if spec.Env, err = p.EnvInCluster(with); err != nil {
		return err
	}
	if spec.Log, err = r.env.logFile(r.subject.Namespace, r.name); err != nil {
		return err
	}
	r.starter = inPod{incluster.New(r.env.Config, r.env.Clientset, spec)}
	return nil
}

// launchData returns the values that the templates of the profile may name.
func (r *replica) launchData() profile.Replica {
	s := r.subject
	return profile.Replica{
		Home: r.env.home(s), Served: served(s), Ports: r.ports, LeaderElection: s.Spec.LeaderElection, Namespaced: s.Spec.RolesOnly,
	}
}
