package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
)

// Proxy stands between one replica and the API server.
type Proxy struct {
	options   Options
	base      *url.URL
	transport *http.Transport
	infos     *request.RequestInfoFactory
	cluster   *cluster
	resources *resources
	reviews   *reviews
	tokens    tokens
	versions  versions

	address     string
	server      *http.Server
	connections *connections
	gate        *gate

	mu      sync.Mutex
	closed  bool
	serving sync.WaitGroup // requests; none begins after closed is set

	// release ends the context of Start.
	release context.CancelFunc
	// writing is done when the proxy stops waiting for writes in progress.
	writing context.Context
	giveUp  context.CancelFunc
}

// Start serves a replica, until Close is called or the context ends.
func Start(ctx context.Context, options Options) (*Proxy, error) {
	if len(options.Scope.Namespaces) == 0 {
		return nil, errors.New("starting a proxy: no namespace is in scope")
	}
	p, err := newProxy(options)
	if err == nil {
		err = p.open(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("starting the proxy of %s: %w", options.Replica, err)
	}
	ctx, p.release = context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { _ = p.Close() })
	return p, nil
}

// open makes the server. It also opens a listener, unless the replica has a network of its
// own.
func (p *Proxy) open(ctx context.Context) error {
	p.address = ownNetworkAddress
	var inner net.Listener
	if !p.options.OwnNetwork {
		var err error
		if inner, err = listen(ctx); err != nil {
			return err
		}
		p.address = inner.Addr().String()
	}
	host, _, err := net.SplitHostPort(p.address)
	if err != nil {
		return err
	}
	certificate, err := p.options.Authority.Issue(host)
	if err != nil {
		if inner != nil {
			_ = inner.Close()
		}
		return err
	}
	p.server = &http.Server{
		Handler:           p,
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}},
		ConnContext:       connContext,
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       90 * time.Second, // as the API server's
		// What it would log is already in the record, or is about a handshake that a
		// client broke off.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	if inner != nil {
		p.Serve(inner)
	}
	return nil
}

// Serve also serves the replica on this listener. If the replica has a network of its own,
// this is the listener at Address in that network. Serve ends when the listener or the
// proxy is closed.
func (p *Proxy) Serve(inner net.Listener) {
	go func() {
		// The error says only that serving has ended.
		_ = p.server.ServeTLS(&listener{Listener: inner, connections: p.connections}, "", "")
	}()
}

func newProxy(options Options) (*Proxy, error) {
	base, _, err := rest.DefaultServerUrlFor(options.Upstream)
	if err != nil {
		return nil, fmt.Errorf("reading the address of the API server: %w", err)
	}
	tlsConfig, err := rest.TLSConfigFor(rest.AnonymousClientConfig(options.Upstream))
	if err != nil {
		return nil, fmt.Errorf("reading how to trust the API server: %w", err)
	}
	cluster, err := newCluster(options.Upstream, base)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		options:  options,
		base:     base,
		gate:     newGate(),
		tokens:   tokens{real: map[string]string{}, revoked: map[string]bool{}},
		versions: versions{newest: map[objectKey]version{}},
		transport: &http.Transport{
			TLSClientConfig:     tlsConfig,
			DialContext:         options.Upstream.Dial,
			TLSHandshakeTimeout: lookUpTimeout,
			ForceAttemptHTTP2:   true,
			DisableCompression:  true,
			HTTP2:               &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		},
		infos: &request.RequestInfoFactory{
			APIPrefixes:          sets.NewString("api", "apis"),
			GrouplessAPIPrefixes: sets.NewString("api"),
		},
		cluster:   cluster,
		resources: newResources(cluster),
		reviews:   newReviews(cluster, options.User),
	}
	p.connections = newConnections(p.gate)
	p.writing, p.giveUp = context.WithCancel(context.Background())
	return p, nil
}

// Address returns the address of the proxy for the replica, as host:port.
func (p *Proxy) Address() string { return p.address }

// CloseConnections closes all connections of the replica, with the requests on them. The
// replica may connect again.
func (p *Proxy) CloseConnections() { p.connections.drop() }
