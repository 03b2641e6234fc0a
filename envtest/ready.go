package envtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"reconform.dev/reconform/envtest/storage"
)

// installCRDs installs the CRDs. It also creates the administrator, the first user.
func (cp *ControlPlane) installCRDs(ctx context.Context) (err error) {
	if cp.admin, cp.kubeconfig, err = cp.master(admin); err != nil {
		return err
	}
	if _, err := cp.work.write("kubeconfig", cp.kubeconfig); err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(cp.admin)
	if err != nil {
		return err
	}
	cp.profiler.take(apiServer, cp.admin.Host, client)
	if len(cp.definitions) == 0 {
		return nil
	}
	// The library knows no context, and waits in vain for a definition that is never served.
	installed := make(chan error, 1)
	go func() {
		_, err := envtest.InstallCRDs(cp.admin, envtest.CRDInstallOptions{CRDs: cp.definitions, PollInterval: pollInterval, MaxTime: startTimeout})
		installed <- err
	}()
	select {
	case err := <-installed:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-cp.done:
		return cp.Err()
	}
}

// startControllers starts all components except the API server, and waits until they work.
func (cp *ControlPlane) startControllers(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not ready within %v", startTimeout))
	defer cancel()
	if err := cp.writeCredentials(); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return err
	}

	group, ctx := errgroup.WithContext(ctx)
	probe := cp.probe()
	waitHealthy := func(c *component, url string) {
		group.Go(func() error {
			if err := cp.waitFor(ctx, c.name+" to be healthy", healthy(probe, url+"/healthz")); err != nil {
				return err
			}
			cp.profiler.take(c.name, url, probe)
			return nil
		})
	}
	if err := cp.startStorage(); err != nil {
		return err
	}
	group.Go(func() error { return storage.Install(ctx, client) })
	manager, url, err := cp.startControllerManager()
	if err != nil {
		return err
	}
	waitHealthy(manager, url)
	group.Go(func() error {
		return cp.waitFor(ctx, "the default service account", func(ctx context.Context) error {
			_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
			return err
		})
	})
	group.Go(func() error {
		return cp.waitFor(ctx, "the cluster's CA certificate", func(ctx context.Context) error {
			_, err := client.CoreV1().ConfigMaps("default").Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
			return err
		})
	})
	if !cp.opts.WithoutPods {
		kubelet, err := cp.startKubelet()
		if err != nil {
			return err
		}
		if _, err := cp.startKwok(client.Discovery(), kubelet); err != nil {
			return err
		}
		sched, url, err := cp.startScheduler()
		if err != nil {
			return err
		}
		waitHealthy(sched, url)
		group.Go(func() error { return cp.addNodes(ctx, client) })
		group.Go(func() error { return cp.startMetrics(ctx, client) })
	}
	return group.Wait()
}

// writeCredentials gives each component its credentials and the CA's certificate.
func (cp *ControlPlane) writeCredentials() error {
	if _, err := cp.work.write("certs/ca.crt", cp.plane.APIServer.SecureServing.CA); err != nil {
		return err
	}
	for _, name := range clients() {
		_, kubeconfig, err := cp.master(clientUser(name))
		if err != nil {
			return err
		}
		if _, err := cp.work.write("certs/"+name+".kubeconfig", kubeconfig); err != nil {
			return err
		}
	}
	return nil
}

// addNodes adds the fake Nodes and waits until Pods can be scheduled to each.
func (cp *ControlPlane) addNodes(ctx context.Context, client kubernetes.Interface) error {
	nodes := fakeNodes(cp.opts.ExtendedResources)
	for _, node := range nodes {
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("adding the fake Node %s: %w", node.Name, err)
		}
	}
	return cp.waitFor(ctx, "the fake Nodes to be ready", func(ctx context.Context) error {
		now, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, node := range now.Items {
			ready := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
			})
			if !ready || len(node.Spec.Taints) > 0 {
				return fmt.Errorf("%s: ready: %v, taints: %v", node.Name, ready, node.Spec.Taints)
			}
		}
		return nil
	})
}

const pollInterval = 20 * time.Millisecond

// waitFor polls until check returns nil. It fails if ctx ends or a component ends.
func (cp *ControlPlane) waitFor(ctx context.Context, what string, check func(context.Context) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-cp.done:
			return cp.Err()
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (last answer: %w)", what, context.Cause(ctx), err)
		}
	}
}

// probe returns a client that trusts the components.
func (cp *ControlPlane) probe() *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cp.plane.APIServer.SecureServing.CA)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
	}}
}

// healthy returns a check of a component's health.
func healthy(client *http.Client, url string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return nil
	}
}
