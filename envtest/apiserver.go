package envtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// startTimeout limits the start of one component. Most need less than a tenth of it; a busy
// machine needs the rest.
const startTimeout = time.Minute

var errEnded = errors.New("ended unexpectedly")

// anonymous lets clients without credentials get the health, and nothing else.
const anonymous = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: {enabled: true, conditions: [{path: /healthz}]}
`

// startAPIServer starts etcd and kube-apiserver at the same time, and waits until the API
// is served.
func (cp *ControlPlane) startAPIServer(ctx context.Context) error {
	apiPort, err := cp.opts.port()
	if err != nil {
		return err
	}
	authentication, err := cp.work.write("authentication.yaml", []byte(anonymous))
	if err != nil {
		return err
	}
	tokens, err := cp.writeTokens()
	if err != nil {
		return err
	}
	if cp.users, err = newAuthority(); err != nil {
		return err
	}
	audited, err := cp.profiler.audited(cp.work)
	if err != nil {
		return err
	}
	etcdProcess, err := cp.component(etcd)
	if err != nil {
		return err
	}
	apiProcess, err := cp.component(apiServer)
	if err != nil {
		etcdProcess.watch()
		return err
	}
	cp.configureAPIServer(apiProcess, apiPort, map[string]string{"authentication-config": authentication, "token-auth-file": tokens}, audited)
	return cp.startTogether(ctx, etcdProcess, apiProcess)
}

// startTogether starts etcd and kube-apiserver, and waits until the API is served, or one of
// them has ended.
func (cp *ControlPlane) startTogether(ctx context.Context, etcdProcess, apiProcess *component) error {
	// No start can be cancelled, but both end early if their process ends.
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	stop := context.AfterFunc(ctx, func() { _ = cp.line.Close() })
	defer stop()
	if err := cp.startEtcd(etcdProcess); err != nil {
		apiProcess.watch()
		return err
	}
	go func() {
		select {
		case <-etcdProcess.ended:
			abort(etcdProcess.failed(errEnded))
		case <-ctx.Done():
		}
	}()
	// Wait for etcd first: without it, kube-apiserver waits a second before it tries to
	// connect again.
	awaitSocket(ctx, cp.work.join(etcdSocket))
	if err := cp.plane.APIServer.Start(); err != nil {
		abort(apiProcess.failed(fmt.Errorf("starting it: %w", err)))
	}
	apiProcess.watch()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	cp.profiler.take(etcd, "http://"+etcd, overSocket(cp.work.join(etcdSocket)))
	return nil
}

// configureAPIServer says how kube-apiserver is started: with the flags that it always has, and
// with more.
func (cp *ControlPlane) configureAPIServer(process *component, port int, more ...map[string]string) {
	cp.plane.APIServer = &envtest.APIServer{
		EtcdURL: etcdURL(), Path: process.link, CertDir: cp.work.join("certs"), StartTimeout: startTimeout,
		Out: process.stdout, Err: process.stderr,
	}
	cp.plane.APIServer.SecureServing.Authn = cp.users
	cp.plane.APIServer.SecureServing.Address = loopback
	cp.plane.APIServer.SecureServing.Port = strconv.Itoa(port)
	// envtest disables the ServiceAccount admission plugin, because nothing would create
	// service accounts. Here kube-controller-manager creates them.
	cp.plane.APIServer.Configure().Disable("disable-admission-plugins")
	always := map[string]string{
		// The suite measures the pauses between a subject's requests, so the server must not
		// delay requests.
		"enable-priority-and-fairness":   "false",
		"max-requests-inflight":          "0",
		"max-mutating-requests-inflight": "0",
		// Without the first one, the server looks for a network interface other than the loopback,
		// and fails if there is none. Without the second one, discovery would name the first one.
		"advertise-address":               apiServerAddress,
		"external-hostname":               loopback,
		"service-cluster-ip-range":        serviceRange,
		"kubelet-preferred-address-types": string(kubeletAddress),
		"profiling":                       strconv.FormatBool(cp.profiler != nil),
	}
	for _, flags := range append(more, always, cp.opts.mutatingPolicies(cp.assets)) {
		for flag, value := range flags {
			cp.plane.APIServer.Configure().Set(flag, value)
		}
	}
}
