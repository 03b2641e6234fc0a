package ports

import (
	"net"
	"testing"
)

func TestPortsAreDistinct(t *testing.T) {
	var pool Pool
	defer pool.Close()
	seen := map[int]bool{}
	for range 100 {
		found, err := pool.Find([]string{"metrics", "health", "webhook"})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 3 {
			t.Fatalf("got %d ports, want 3", len(found))
		}
		for name, port := range found {
			if seen[port] || port < lowestPort {
				t.Errorf("port of %s is %d, given before: %t", name, port, seen[port])
			}
			if lowest := connectionPorts(); lowest > lowestPort+blocks*blockSize && port >= lowest {
				t.Errorf("port of %s is %d, which a connection may get, from %d", name, port, lowest)
			}
			seen[port] = true
		}
	}
}

// TestPoolsShareNoPort: a program needs a moment before it listens, and until then
// its port looks free.
func TestPoolsShareNoPort(t *testing.T) {
	owner := map[int]int{}
	for pool := range 3 {
		p := &Pool{}
		t.Cleanup(func() { _ = p.Close() })
		for range 2 * blockSize { // more than once around
			found, err := p.Find([]string{"metrics"})
			if err != nil {
				t.Fatal(err)
			}
			if first, known := owner[found["metrics"]]; known && first != pool {
				t.Fatalf("pools %d and %d both got port %d", first, pool, found["metrics"])
			}
			owner[found["metrics"]] = pool
		}
	}
}

func TestPortsIfAllBlocksAreTaken(t *testing.T) {
	for range blocks + 1 {
		p := &Pool{}
		t.Cleanup(func() { _ = p.Close() })
		if _, err := p.Find([]string{"metrics", "health"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPortsInUseAreLeftOut(t *testing.T) {
	pool := Pool{from: lowestPort}
	first, err := pool.Find([]string{"metrics"})
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: first["metrics"]})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	again := Pool{from: lowestPort, next: first["metrics"] - lowestPort}
	second, err := again.Find([]string{"metrics"})
	if err != nil || second["metrics"] == first["metrics"] {
		t.Errorf("got port %d, which is taken: %v", second["metrics"], err)
	}
}
