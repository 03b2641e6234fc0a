package chainsaw

import (
	"fmt"
	"sync"

	"github.com/kyverno/chainsaw/pkg/client"
	"github.com/kyverno/chainsaw/pkg/client/simple"
	engineclient "github.com/kyverno/chainsaw/pkg/engine/client"
	"github.com/kyverno/chainsaw/pkg/engine/clusters"
	"k8s.io/client-go/rest"
)

// clients has one client for each cluster. By default Chainsaw makes a new one for every
// operation, and each first asks the API server for everything that it serves.
type clients struct {
	mu     sync.Mutex
	shared map[clusters.Cluster]client.Client
}

// build returns the client of a cluster, and a configuration of its own for the operation
// that asks: before a command, Chainsaw fills in the certificates of the one that it gets, and
// commands of several tests run at the same time.
func (c *clients) build(cluster clusters.Cluster) (*rest.Config, client.Client, error) {
	if cluster == nil {
		return nil, nil, nil
	}
	config, err := cluster.Config()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the configuration of a cluster: %w", err)
	}
	config = rest.CopyConfig(config)
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, ok := c.shared[cluster]; ok {
		return config, one, nil
	}
	one, err := simple.New(config)
	if err != nil {
		return nil, nil, fmt.Errorf("making a client: %w", err)
	}
	one = engineclient.New(one)
	if c.shared == nil {
		c.shared = map[clusters.Cluster]client.Client{}
	}
	c.shared[cluster] = one
	return config, one, nil
}
