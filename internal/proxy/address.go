package proxy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"syscall"
)

// servicePort is where the API server of a cluster answers under its names.
const servicePort = "443"

// ownNetworkAddress is where a replica finds its proxy in a network of its own.
const ownNetworkAddress = "127.96.0.1:" + servicePort

// addresses are so many that two rarely meet; then another is tried.
const addresses = 10

// ServiceNames are the names that an API server has inside its cluster.
func ServiceNames() []string {
	return []string{"kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "kubernetes.default", "kubernetes"}
}

// CheckService says why proxies do not answer on the port that belongs to these names.
// It is nil where they do.
func CheckService(ctx context.Context) error {
	listener, err := listenOnOwn(ctx, servicePort)
	if err == nil {
		return listener.Close()
	}
	var refused *net.OpError
	if errors.As(err, &refused) {
		err = refused.Err // the address is by chance
	}
	return fmt.Errorf("answering as %s on port %s: %w", ServiceNames()[0], servicePort, err)
}

// listen on a loopback address of its own, where an API server is inside a cluster, or
// else on any port. A machine may have one loopback address only.
func listen(ctx context.Context) (net.Listener, error) {
	for _, port := range []string{servicePort, "0"} {
		if listener, err := listenOnOwn(ctx, port); err == nil {
			return listener, nil
		}
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
}

// listenOnOwn listens on an address at which nobody else listens on this port. Others on
// this machine, benches too, look for theirs in the same way.
func listenOnOwn(ctx context.Context, port string) (listener net.Listener, err error) {
	for range addresses {
		host := net.IPv4(127, byte(1+rand.IntN(254)), byte(rand.IntN(256)), byte(1+rand.IntN(254)))
		listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host.String(), port))
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return listener, err
}
