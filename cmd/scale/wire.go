package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// wire leads from a port of its own to the API server, and counts the bytes in both
// directions, as they are sent: encrypted, and compressed if they are.
type wire struct {
	listener net.Listener
	to       string
	bytes    atomic.Int64
	done     sync.WaitGroup
}

func newWire(to string) (*wire, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the controller: %w", err)
	}
	w := &wire{listener: listener, to: to}
	w.done.Go(w.serve)
	return w, nil
}

// address to which the controller talks.
func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) serve() {
	for {
		from, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		w.done.Go(func() { w.lead(from) })
	}
}

// lead one connection, until one of its sides ends it.
func (w *wire) lead(from net.Conn) {
	defer from.Close()
	to, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.to)
	if err != nil {
		return
	}
	defer to.Close()
	ended := make(chan struct{}, 2)
	pass := func(into io.Writer, out io.Reader) {
		_, _ = io.Copy(into, &counted{out, &w.bytes})
		ended <- struct{}{}
	}
	go pass(to, from)
	go pass(from, to)
	<-ended
}

// close ends the listener. Connections end with their processes.
func (w *wire) close() error {
	err := w.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// counted adds what is read to a sum.
type counted struct {
	io.Reader
	sum *atomic.Int64
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.Reader.Read(into)
	c.sum.Add(int64(n))
	return n, err
}
