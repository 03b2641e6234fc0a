package envtest

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/client-go/discovery"
)

// endpointsBatch is how long the Endpoints of a Service wait for more changes of its Pods.
// Production clusters do that, too.
const endpointsBatch = "500ms"

// startControllerManager starts the component, and returns it with its URL.
func (cp *ControlPlane) startControllerManager() (*component, string, error) {
	return cp.startServing(controllerManager,
		"--controllers="+strings.Join(controllers(), ","),
		"--leader-elect=false",
		"--kubeconfig="+cp.work.join("certs", controllerManager+".kubeconfig"),
		"--root-ca-file="+cp.work.join("certs", "ca.crt"),
		"--service-account-private-key-file="+cp.work.join("certs", "sa-signer.key"),
		"--cluster-signing-cert-file="+cp.users.certFile(),
		"--cluster-signing-key-file="+cp.users.keyFile(),
		"--kube-api-qps=2000", "--kube-api-burst=4000",
		// Deployments and ReplicaSets keep the defaults. With more at once, most looks are too
		// early: each change of a Pod costs a write of both, and many of these conflict.
		"--concurrent-statefulset-syncs=20",
		"--concurrent-service-endpoint-syncs=20",
		"--concurrent-namespace-syncs=20",
		"--concurrent-gc-syncs=20",
		// The Pods of a rollout become ready one after the other. Each would cost a write of both.
		"--endpoint-updates-batch-period="+endpointsBatch,
		"--endpointslice-updates-batch-period="+endpointsBatch,
		// If a write of a claim meets another one, that of a StatefulSet for example, the binder
		// tries again in the next period. By default that takes 15 s.
		"--pvclaimbinder-sync-period=2s",
		// A test need not wait 15 s to see that an autoscaler acts.
		"--horizontal-pod-autoscaler-sync-period=1s",
		// kwok renews a Node's Lease every 50 s, or later on a busy machine. Its Pods must
		// not be evicted because of that.
		"--node-monitor-grace-period=10m",
	)
}

// startScheduler starts the component, and returns it with its URL.
func (cp *ControlPlane) startScheduler() (*component, string, error) {
	config, err := cp.work.write("certs/scheduler.yaml", fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 2000, burst: 4000}
`, cp.work.join("certs", scheduler+".kubeconfig")))
	if err != nil {
		return nil, "", err
	}
	return cp.startServing(scheduler, "--config="+config)
}

// startServing starts a component that serves its health and its profiles over HTTPS.
func (cp *ControlPlane) startServing(name string, args ...string) (*component, string, error) {
	port, err := cp.opts.port()
	if err != nil {
		return nil, "", err
	}
	c, err := cp.startComponent(name, append(args,
		"--bind-address="+loopback,
		"--secure-port="+strconv.Itoa(port),
		// To create its own self-signed certificate would take time.
		"--tls-cert-file="+cp.work.join("certs", "apiserver.crt"),
		"--tls-private-key-file="+cp.work.join("certs", "apiserver.key"),
		"--authentication-skip-lookup",
		"--profiling="+strconv.FormatBool(cp.profiler != nil),
		// It does not ask who a client is. Without profiling there is nothing to see.
		"--authorization-always-allow-paths=/healthz,/debug/pprof/*",
	)...)
	if err != nil {
		return nil, "", err
	}
	return c, fmt.Sprintf("https://%s:%d", loopback, port), nil
}

// startKwok starts what plays the kubelets. kubelet is the port of the server that kube-apiserver
// takes for them.
func (cp *ControlPlane) startKwok(cluster discovery.ServerVersionInterface, kubelet int) (*component, error) {
	version, err := cluster.ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("asking for the version of Kubernetes: %w", err)
	}
	stages, err := kwokConfig(version.GitVersion, kubelet)
	if err != nil {
		return nil, err
	}
	config, err := cp.work.write("kwok.yaml", stages)
	if err != nil {
		return nil, err
	}
	return cp.startComponent(kwok, "--config="+config, "--kubeconfig="+cp.work.join("certs", kwok+".kubeconfig"))
}

func (cp *ControlPlane) startComponent(name string, args ...string) (*component, error) {
	c, err := cp.component(name)
	if err != nil {
		return nil, err
	}
	return c, c.start(cp.work.join("home"), args...)
}
