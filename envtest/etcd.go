package envtest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// etcdSocket is the socket at which etcd serves kube-apiserver. It is in the work
// directory, which only this user can enter, because etcd does not ask who a client is.
// Both are started in that directory, because the path of a socket must be short (103 bytes
// on some systems).
const etcdSocket = "etcd.sock"

func etcdURL() *url.URL { return &url.URL{Scheme: "unix", Host: etcdSocket} }

func (cp *ControlPlane) startEtcd(c *component) error {
	return c.start(cp.work.join("home"),
		"--data-dir="+cp.work.join("etcd"),
		"--listen-client-urls="+etcdURL().String(),
		"--advertise-client-urls=http://localhost:2379", // it must be a TCP address, but nobody uses it
		"--listen-peer-urls=unix://peers.sock",          // it has no peers
		"--log-level=warn",
		"--unsafe-no-fsync=true",
		// The shorter these are, the sooner the only member elects itself.
		"--heartbeat-interval=50",
		"--election-timeout=250",
		"--enable-pprof="+strconv.FormatBool(cp.profiler != nil),
	)
}

// awaitSocket returns when the socket exists, or ctx ends.
func awaitSocket(ctx context.Context, path string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// overSocket returns a client for the server at a socket.
func overSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}
}
