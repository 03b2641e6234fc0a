package pid1

import (
	"syscall"
	"unsafe"
)

const (
	backlog = 4096
	// The fields of struct ifreq that are used: a name, then flags or an address.
	nameSize = 16
)

// openNetwork starts the loopback interface of the subject's network, which is the only
// one, and hands over the sockets that listen there.
func (t *Task) openNetwork() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return failed("opening the network", err)
	}
	defer syscall.Close(fd)
	up := request("lo")
	up[nameSize], up[nameSize+1] = flags(syscall.IFF_UP | syscall.IFF_RUNNING)
	if err := ioctl(fd, syscall.SIOCSIFFLAGS, up); err != nil {
		return failed("starting the loopback interface", err)
	}
	for i, a := range t.Listen {
		if a.IP[0] != 127 {
			if err := a.add(fd, "lo:"+decimal(i)); err != nil {
				return failed("adding an address", err)
			}
		}
		if err := a.listen(); err != nil {
			return failed("listening on port "+decimal(int(a.Port)), err)
		}
	}
	return nil
}

// flags returns the two bytes of a value in this machine's byte order.
func flags(value uint16) (byte, byte) {
	bytes := *(*[2]byte)(unsafe.Pointer(&value))
	return bytes[0], bytes[1]
}

type interfaceRequest [40]byte // struct ifreq, on every architecture

func request(name string) *interfaceRequest {
	r := &interfaceRequest{}
	copy(r[:nameSize-1], name)
	return r
}

func ioctl(fd int, number uintptr, r *interfaceRequest) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), number, uintptr(unsafe.Pointer(r))); errno != 0 {
		return errno
	}
	return nil
}

// add adds the address to the loopback interface, under a label. Addresses of 127.0.0.0/8
// are there already.
func (a Address) add(fd int, label string) error {
	r := request(label)
	r[nameSize], r[nameSize+1] = flags(syscall.AF_INET)
	copy(r[nameSize+4:], a.IP[:]) // after the family and the port of a struct sockaddr_in
	return ioctl(fd, syscall.SIOCSIFADDR, r)
}

func (a Address) listen() error {
	fd, err := newSocket()
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(a.Port), Addr: a.IP}); err != nil {
		return err
	}
	if err := syscall.Listen(fd, backlog); err != nil {
		return err
	}
	return send(fd)
}

// handOverSocket makes a socket in the subject's network for the bench.
func handOverSocket() error {
	fd, err := newSocket()
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return send(fd)
}

func newSocket() (int, error) {
	return syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
}

// send sends a descriptor to the bench.
func send(fd int) error {
	return syscall.Sendmsg(Sockets, []byte{0}, syscall.UnixRights(fd), nil, 0)
}
