package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Pool hands out ports. The zero value is ready to be used.
//
// The kernel may give a free port to a connection a moment later, before the program
// listens on it. So these ports are below the range for connections; no port is used again
// before all others were; and every pool of a machine has its own block of them.
type Pool struct {
	mu   sync.Mutex
	from int
	next int
	// claim of the block: a listener on its first port. It ends with the process, in any
	// case.
	claim net.Listener
}

const (
	blocks    = 16
	blockSize = 1000 // the number of ports that are used before the first is used again
)

// lowestPort is the lowest port of any block. Below it are those of well-known
// services.
const lowestPort = 10000

// Find finds a free port for each name. It listens on all of them until it has all, so that
// no other process takes one meanwhile.
func (p *Pool) Find(names []string) (map[string]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from == 0 {
		p.claimBlock()
	}
	found := make(map[string]int, len(names))
	for _, name := range names {
		listener, err := p.listen()
		if err != nil {
			return nil, fmt.Errorf("finding a port for %s: %w", name, err)
		}
		defer listener.Close()
		found[name] = listener.Addr().(*net.TCPAddr).Port
	}
	return found, nil
}

// claimBlock takes a block that no other pool has. If there is none, it shares one.
func (p *Pool) claimBlock() {
	lowest := max(lowestPort, connectionPorts()-blocks*blockSize)
	first := rand.IntN(blocks)
	for n := range blocks {
		p.from = lowest + (first+n)%blocks*blockSize
		if listener, err := listenOn(p.from); err == nil {
			p.claim = listener
			return
		}
	}
}

// Close releases the block.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.claim == nil {
		return nil
	}
	return p.claim.Close()
}

// listen listens on the next free port.
func (p *Pool) listen() (net.Listener, error) {
	var err error
	for range blockSize {
		port := p.from + p.next
		p.next = (p.next + 1) % blockSize
		var listener net.Listener
		if listener, err = listenOn(port); err == nil {
			return listener, nil
		}
	}
	return nil, err
}

func listenOn(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// connectionPorts returns the lowest port of the range that the kernel gives to
// connections.
func connectionPorts() int {
	const usual = 32768
	data, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return usual // on systems without this file, it is higher
	}
	lowest, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\t")
	port, err := strconv.Atoi(lowest)
	if err != nil {
		return usual
	}
	return port
}
