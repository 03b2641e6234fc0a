//go:build unix

package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// outsidePatience limits how long a connection to an outside address may take.
const outsidePatience = 30 * time.Second

// listen lists what is served in the replica's own network: the API server, then the
// outside addresses.
func (s *Spec) listen() ([]pid1.Address, error) {
	own, err := address(s.Host, s.Port)
	if err != nil {
		return nil, fmt.Errorf("serving the API server: %w", err)
	}
	list := []pid1.Address{own}
	for n, outside := range s.Outside {
		host, port, err := net.SplitHostPort(outside)
		if err != nil {
			return nil, fmt.Errorf("network %s: %w", outside, err)
		}
		if net.ParseIP(host) == nil {
			host = outsideAddress(n)
		}
		at, err := address(host, port)
		if err != nil {
			return nil, fmt.Errorf("network %s: %w", outside, err)
		}
		list = append(list, at)
	}
	return list, nil
}

// outsideHosts returns the lines of /etc/hosts for the outside addresses that have a name.
func (s *Spec) outsideHosts() (lines string) {
	for n, outside := range s.Outside {
		if host, _, err := net.SplitHostPort(outside); err == nil && net.ParseIP(host) == nil {
			lines += outsideAddress(n) + "\t" + host + "\n"
		}
	}
	return lines
}

// serve serves the sockets that the init makes. It waits for them until the context ends,
// and then returns its error.
func (p *Process) serve(ctx context.Context, s *Spec) error {
	stop := context.AfterFunc(ctx, func() { _ = p.sockets.SetReadDeadline(time.Unix(1, 0)) })
	err := p.serveAll(s)
	if !stop() {
		return ctx.Err() // the deadline is set, or will be in a moment
	}
	return err
}

func (p *Process) serveAll(s *Spec) error {
	api, err := p.receiveListener()
	if err != nil {
		return err
	}
	if s.Serve != nil {
		s.Serve(api)
	}
	for _, outside := range s.Outside {
		listener, err := p.receiveListener()
		if err != nil {
			return err
		}
		go relay(listener, outside)
	}
	return nil
}

// relay passes connections on to an address, until the listener is closed.
func relay(listener net.Listener, to string) {
	for {
		inner, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer inner.Close()
			outer, err := net.DialTimeout("tcp", to, outsidePatience)
			if err != nil {
				return
			}
			defer outer.Close()
			var both sync.WaitGroup
			both.Go(func() { pass(outer, inner) })
			both.Go(func() { pass(inner, outer) })
			both.Wait()
		}()
	}
}

// pass copies what comes from one end to the other, and then closes it for writing.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
