//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// A replica with its own network has only the loopback interface. The addresses that it may
// reach listen there: the init makes the sockets, and the bench serves them. In the other
// direction, the init makes the socket with which the bench connects to the replica.

// OwnNetwork tells whether replicas have their own network.
func (l *Launcher) OwnNetwork() bool { return l.contain != nil && l.contain.network }

// address returns the address of an IPv4 socket, for the init.
func address(host, port string) (pid1.Address, error) {
	at, err := netip.ParseAddrPort(net.JoinHostPort(host, port))
	if err != nil || !at.Addr().Is4() {
		return pid1.Address{}, fmt.Errorf("%s is not an IPv4 address and a port", net.JoinHostPort(host, port))
	}
	return pid1.Address{IP: at.Addr().As4(), Port: at.Port()}, nil
}

// openSockets makes the socket pair over which the init hands over sockets, and returns the
// init's end.
func (p *Process) openSockets() (*os.File, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	own := os.NewFile(uintptr(ends[0]), "sockets")
	defer own.Close()
	conn, err := net.FileConn(own)
	if err != nil {
		_ = unix.Close(ends[1])
		return nil, err
	}
	p.sockets = conn.(*net.UnixConn)
	return os.NewFile(uintptr(ends[1]), "sockets"), nil
}

// receiveSocket receives the next socket from the init.
func (p *Process) receiveSocket() (*os.File, error) {
	data, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := p.sockets.ReadMsgUnix(data, control)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("the init sent no socket"), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(errors.New("the init sent no socket"), err)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), nil
}

// receiveListener receives the next listening socket. It is closed when the replica is
// gone.
func (p *Process) receiveListener() (net.Listener, error) {
	file, err := p.receiveSocket()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, err
	}
	go func() {
		<-p.done
		_ = listener.Close()
	}()
	return listener, nil
}

// Dial connects to a port of the replica: on the replica's own loopback interface, if it
// has its own network. The address has an IPv4 address and a port.
func (p *Process) Dial(ctx context.Context, network, at string) (net.Conn, error) {
	if !p.network {
		return (&net.Dialer{}).DialContext(ctx, network, at)
	}
	conn, err := p.dial(ctx, at)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	return conn, nil
}

func (p *Process) dial(ctx context.Context, at string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, err
	}
	target, err := address(host, port)
	if err != nil {
		return nil, err
	}
	socket, err := p.newSocket()
	if err != nil {
		return nil, fmt.Errorf("making a socket: %w", err)
	}
	defer socket.Close()
	if err := connect(ctx, socket, target); err != nil {
		return nil, err
	}
	return net.FileConn(socket)
}

// newSocket asks the init for a socket.
func (p *Process) newSocket() (*os.File, error) {
	p.orders.Lock()
	defer p.orders.Unlock()
	answer, err := p.order(pid1.ToSocket, 0)
	if err != nil {
		return nil, err
	}
	if answer != "" {
		return nil, errors.New(answer)
	}
	return p.receiveSocket()
}

// connect connects a non-blocking socket.
func connect(ctx context.Context, socket *os.File, to pid1.Address) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	var refused error
	err = raw.Write(func(fd uintptr) bool {
		refused = unix.Connect(int(fd), &unix.SockaddrInet4{Port: int(to.Port), Addr: to.IP})
		switch {
		case errors.Is(refused, unix.EINPROGRESS), errors.Is(refused, unix.EALREADY):
			return false // called again when something has happened
		case errors.Is(refused, unix.EISCONN):
			refused = nil
		}
		return true
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && refused != nil {
		err = os.NewSyscallError("connect", refused)
	}
	if err == nil && !stop() {
		return context.Cause(ctx) // its deadline is set, or will be in a moment
	}
	return err
}

// outsideAddress returns the address at which the n-th outside address is served in a
// replica's own network.
func outsideAddress(n int) string { return "127.97.0." + strconv.Itoa(n+1) }
