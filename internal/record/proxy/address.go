package proxy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"syscall"
)

// servicePort is the port of the API server inside a cluster, where its names lead.
const servicePort = "443"

// ownNetworkAddress is where a replica finds its proxy, if it has a network of its own.
const ownNetworkAddress = "127.96.0.1:" + servicePort

// addresses is how many addresses are tried. Two proxies rarely choose the same one.
const addresses = 10

// ServiceNames returns the names that an API server has inside its cluster.
func ServiceNames() []string {
	return []string{"kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "kubernetes.default", "kubernetes"}
}

// CheckService says why proxies cannot listen on the port that belongs to these names. It
// returns nil if they can.
func CheckService(ctx context.Context) error {
	listener, err := listenOnOwn(ctx, servicePort)
	if err == nil {
		return listener.Close()
	}
	var refused *net.OpError
	if errors.As(err, &refused) {
		err = refused.Err // the address was chosen at random, so it says nothing
	}
	return fmt.Errorf("answering as %s on port %s: %w", ServiceNames()[0], servicePort, err)
}

// listen listens on a loopback address of its own, on the port of an API server inside a
// cluster, or else on any port. If a machine has only one loopback address, it listens
// there.
func listen(ctx context.Context) (net.Listener, error) {
	for _, port := range []string{servicePort, "0"} {
		if listener, err := listenOnOwn(ctx, port); err == nil {
			return listener, nil
		}
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
}

// listenOnOwn listens on an address where nothing else listens on this port. Other
// programs on this machine, other benches too, choose their addresses in the same way.
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
