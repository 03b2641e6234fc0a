package bench

import "testing"

func TestFreePortsAreDistinct(t *testing.T) {
	ports, err := freePorts([]string{"metrics", "health", "webhook"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]string{}
	for name, port := range ports {
		if port == 0 || seen[port] != "" {
			t.Errorf("port of %s is %d, as that of %q", name, port, seen[port])
		}
		seen[port] = name
	}
	if len(ports) != 3 {
		t.Errorf("got %d ports, want 3", len(ports))
	}
}
