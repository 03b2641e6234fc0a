package envtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// startTimeout limits the start of one component. Most take less than a tenth of it; a
// busy machine needs the rest.
const startTimeout = time.Minute

var errEnded = errors.New("ended unexpectedly")

// startAPIServer starts etcd and kube-apiserver, both at once, and waits until the API
// is served.
func (cp *ControlPlane) startAPIServer(ctx context.Context) error {
	etcdPort, err := cp.opts.port()
	if err != nil {
		return err
	}
	apiPort, err := cp.opts.port()
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

	etcdURL := &url.URL{Scheme: "http", Host: net.JoinHostPort(loopback, strconv.Itoa(etcdPort))}
	cp.plane.Etcd = &envtest.Etcd{
		URL: etcdURL, Path: etcdProcess.link, DataDir: cp.work.join("etcd"), StartTimeout: startTimeout,
		Out: etcdProcess.stdout, Err: etcdProcess.stderr,
	}
	for flag, value := range map[string]string{
		"log-level":        "warn",
		"listen-peer-urls": "http://" + loopback + ":0", // it has no peers
		"unsafe-no-fsync":  "true",
		// The shorter this is, the sooner the only member elects itself.
		"heartbeat-interval": "50",
		"election-timeout":   "250",
		"enable-pprof":       strconv.FormatBool(cp.profiler != nil),
	} {
		cp.plane.Etcd.Configure().Set(flag, value)
	}

	cp.plane.APIServer = &envtest.APIServer{
		EtcdURL: etcdURL, Path: apiProcess.link, CertDir: cp.work.join("certs"), StartTimeout: startTimeout,
		Out: apiProcess.stdout, Err: apiProcess.stderr,
	}
	cp.plane.APIServer.SecureServing.Address = loopback
	cp.plane.APIServer.SecureServing.Port = strconv.Itoa(apiPort)
	// envtest disables the ServiceAccount admission plugin because nothing would create
	// service accounts; here kube-controller-manager does.
	cp.plane.APIServer.Configure().Disable("disable-admission-plugins")
	for flag, value := range map[string]string{
		// The suite measures the pauses that subjects make: the server must not delay
		// their requests.
		"enable-priority-and-fairness":   "false",
		"max-requests-inflight":          "0",
		"max-mutating-requests-inflight": "0",
		// Without these it looks for a network interface other than the loopback, and
		// fails where there is none.
		"advertise-address":        loopback,
		"endpoint-reconciler-type": "none",
		// envtest's own range has 254 addresses.
		"service-cluster-ip-range": "10.96.0.0/16",
		"profiling":                strconv.FormatBool(cp.profiler != nil),
	} {
		cp.plane.APIServer.Configure().Set(flag, value)
	}

	// Neither start can be cancelled, but ends early when its process does.
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	stop := context.AfterFunc(ctx, func() { _ = cp.line.Close() })
	defer stop()
	var starts sync.WaitGroup
	launch := func(c *component, start func() error) {
		starts.Go(func() {
			defer c.watch()
			if err := start(); err != nil {
				abort(c.failed(fmt.Errorf("starting it: %w", err)))
			}
		})
	}
	launch(etcdProcess, cp.plane.Etcd.Start)
	// kube-apiserver would come up without etcd, but then waits a second before it
	// tries the connection again.
	awaitListener(ctx, etcdURL.Host)
	launch(apiProcess, cp.plane.APIServer.Start)
	starts.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	cp.profiler.take(etcd, etcdURL.String(), http.DefaultClient)
	return nil
}

// awaitListener returns when a process listens at address, or ctx ends.
func awaitListener(ctx context.Context, address string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
