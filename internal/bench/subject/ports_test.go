package subject

import (
	"net"
	"testing"
)

func TestPortsAreDistinct(t *testing.T) {
	var free ports
	defer free.close()
	seen := map[int]bool{}
	for range 100 {
		found, err := free.free([]string{"metrics", "health", "webhook"})
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

// TestBenchesShareNoPort: a replica needs a moment before it listens, and until then
// its port looks free.
func TestBenchesShareNoPort(t *testing.T) {
	owner := map[int]int{}
	for bench := range 3 {
		p := &ports{}
		t.Cleanup(func() { _ = p.close() })
		for range 2 * blockSize { // more than once around
			found, err := p.free([]string{"metrics"})
			if err != nil {
				t.Fatal(err)
			}
			if first, known := owner[found["metrics"]]; known && first != bench {
				t.Fatalf("benches %d and %d both got port %d", first, bench, found["metrics"])
			}
			owner[found["metrics"]] = bench
		}
	}
}

func TestPortsWhereAllBlocksAreTaken(t *testing.T) {
	for range blocks + 1 {
		p := &ports{}
		t.Cleanup(func() { _ = p.close() })
		if _, err := p.free([]string{"metrics", "health"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPortsInUseAreLeftOut(t *testing.T) {
	free := ports{from: lowestPort}
	first, err := free.free([]string{"metrics"})
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: first["metrics"]})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	again := ports{from: lowestPort, next: first["metrics"] - lowestPort}
	second, err := again.free([]string{"metrics"})
	if err != nil || second["metrics"] == first["metrics"] {
		t.Errorf("got port %d, which is taken: %v", second["metrics"], err)
	}
}
