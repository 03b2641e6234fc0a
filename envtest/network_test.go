package envtest

import (
	"net/netip"
	"os"
	"strings"
	"testing"
)

func TestInCluster(t *testing.T) {
	for address, want := range map[string]bool{
		"10.96.3.4": true, "10.244.7.7": true, "::ffff:10.244.7.7": true, "10.1.2.3": false, "192.168.7.7": false, "127.0.0.1": false, "fd00::1": false,
	} {
		if got := InCluster(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: got %t, want %t", address, got, want)
		}
	}
	config, err := os.ReadFile("kwok/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(config), "cidr: "+podRange+" ") {
		t.Errorf("kwok gives Pods other addresses than those of %s", podRange)
	}
}
