package bench

import (
	"net"
	"testing"
)

func TestPortsAreDistinct(t *testing.T) {
	var free ports
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
			if lowest := connectionPorts(); lowest > lowestPort+portRange && port >= lowest {
				t.Errorf("port of %s is %d, which a connection may get, from %d", name, port, lowest)
			}
			seen[port] = true
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
