package chainsaw

import (
	"testing"

	"github.com/kyverno/chainsaw/pkg/engine/clusters"
	"k8s.io/client-go/rest"
)

// TestAClusterHasOneClient checks that all operations on a cluster, and no others,
// share what its client has learned about the API server.
func TestAClusterHasOneClient(t *testing.T) {
	cluster := func() clusters.Cluster {
		return clusters.NewClusterFromConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	}
	one, other := cluster(), cluster()
	c := &clients{}
	got := map[clusters.Cluster]any{}
	for _, asked := range []clusters.Cluster{one, other, one} {
		config, client, err := c.build(asked)
		if err != nil || config.Host != "http://127.0.0.1:1" {
			t.Fatal(config, err)
		}
		if before, ok := got[asked]; ok && before != client {
			t.Error("another client at the second time")
		}
		got[asked] = client
	}
	if got[one] == got[other] {
		t.Error("two clusters have the same client")
	}
	if config, client, err := c.build(nil); config != nil || client != nil || err != nil {
		t.Errorf("of no cluster: %v, %v, %v", config, client, err)
	}
}

// TestEachOperationHasItsConfiguration: Chainsaw changes the configuration that it
// gets, while others read theirs.
func TestEachOperationHasItsConfiguration(t *testing.T) {
	cluster := clusters.NewClusterFromConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	c := &clients{}
	first, _, err := c.build(cluster)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := c.build(cluster)
	if err != nil {
		t.Fatal(err)
	}
	if first == second {
		t.Error("two operations share a configuration")
	}
}
