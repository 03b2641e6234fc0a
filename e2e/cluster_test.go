package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cmd"
)

const (
	readyWithin = 5 * time.Minute
	// logFolder is for the logs of a cluster on which a test has failed.
	logFolder = "../reports/e2e/cluster"
)

// kindCluster is one that belongs to this run.
type kindCluster struct {
	name, kubeconfig string
	provider         *cluster.Provider
	// network is the one of kind, if this run made kind create it. kind does not remove
	// it.
	network string
}

// createCluster makes one, with the images on its nodes. The environment may name
// another image of nodes (KIND_IMAGE) and a configuration (KIND_CONFIG). If it fails,
// or the context ends, nothing is left.
func createCluster(ctx context.Context, kubeconfig string) (_ *kindCluster, err error) {
	c := &kindCluster{
		name: fmt.Sprintf("reconform-e2e-%d", os.Getpid()), kubeconfig: kubeconfig,
		provider: cluster.NewProvider(cluster.ProviderWithLogger(cmd.NewLogger()), cluster.ProviderWithDocker()),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.delete())
		}
	}()
	if network := cmp.Or(os.Getenv("KIND_EXPERIMENTAL_DOCKER_NETWORK"), "kind"); !dockerHas(ctx, "network", network) {
		c.network = network
	}
	options := []cluster.CreateOption{
		cluster.CreateWithKubeconfigPath(kubeconfig), cluster.CreateWithWaitForReady(readyWithin),
		cluster.CreateWithNodeImage(os.Getenv("KIND_IMAGE")), // if KIND_IMAGE is empty: kind's own, by its digest
	}
	if file := os.Getenv("KIND_CONFIG"); file != "" {
		options = append(options, cluster.CreateWithConfigFile(file))
	}
	began := time.Now()
	created := make(chan error, 1)
	go func() { created <- c.provider.Create(c.name, options...) }()
	select {
	case err = <-created:
	case <-ctx.Done():
		err = ctx.Err() // what is made by now is deleted, and kind meets that
	}
	if err != nil {
		return nil, fmt.Errorf("creating a kind cluster: %w", err)
	}
	fmt.Printf("kind cluster %s ready in %s\n", c.name, time.Since(began).Round(time.Second))
	if err := c.load(ctx); err != nil {
		return nil, fmt.Errorf("loading the images: %w", err)
	}
	return c, nil
}

// delete the cluster. Its kubeconfig is in a folder of this run.
func (c *kindCluster) delete() error {
	if err := c.provider.Delete(c.name, c.kubeconfig); err != nil {
		return fmt.Errorf("deleting the kind cluster %s: %w", c.name, err)
	}
	if c.network != "" {
		_ = exec.Command("docker", "network", "rm", c.network).Run() // unless another cluster uses it by now
	}
	return nil
}

// keepLogs of the nodes, as far as they can be had.
func (c *kindCluster) keepLogs() {
	dir, err := filepath.Abs(logFolder)
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
	}
	if err == nil {
		err = c.provider.CollectLogs(c.name, dir)
	}
	fmt.Fprintf(os.Stderr, "the logs of the cluster are in %s (errors: %v)\n", dir, err)
}
