package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/kind/pkg/cmd"
)

const (
	readyWithin = 5 * time.Minute
	// logFolder takes the logs of a cluster on which a test has failed.
	logFolder = "../reports/e2e/cluster"
)

const (
	controllerImage = "webapp-controller:latest"
	// nextImage is the same controller by another name, to be rolled out.
	nextImage = "webapp-controller:next"
)

// images that the nodes must have. `make e2e` builds them, but for the next one.
var images = []string{"registry.example/reconform-pod:v1", controllerImage, nextImage}

// kindCluster is one that belongs to this run.
type kindCluster struct {
	name, kubeconfig string
	provider         *cluster.Provider
}

// createCluster makes one, with the images on its nodes. The environment may name another
// image of nodes (KIND_IMAGE) and a configuration (KIND_CONFIG). Where it fails, or the
// context ends, nothing is left.
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
	options := []cluster.CreateOption{
		cluster.CreateWithKubeconfigPath(kubeconfig), cluster.CreateWithWaitForReady(readyWithin),
		cluster.CreateWithNodeImage(os.Getenv("KIND_IMAGE")), // kind's own, by its digest, where there is none
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

// load the images, as one archive, into all nodes.
func (c *kindCluster) load(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "docker", "tag", controllerImage, nextImage).CombinedOutput(); err != nil {
		return fmt.Errorf("naming the image %s: %w: %s", nextImage, err, out)
	}
	defer func() { _ = exec.Command("docker", "rmi", "--no-prune", nextImage).Run() }() // the nodes have it
	nodes, err := c.provider.ListInternalNodes(c.name)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		save := exec.CommandContext(ctx, "docker", append([]string{"save"}, images...)...)
		save.Stderr = os.Stderr
		archive, err := save.StdoutPipe()
		if err != nil {
			return err
		}
		if err := save.Start(); err != nil {
			return err
		}
		err = nodeutils.LoadImageArchive(node, archive)
		if err := errors.Join(save.Wait(), err); err != nil {
			return fmt.Errorf("node %s: %w (make images image)", node, err)
		}
	}
	return nil
}

// delete the cluster. Its kubeconfig is in a folder of this run.
func (c *kindCluster) delete() error {
	if err := c.provider.Delete(c.name, c.kubeconfig); err != nil {
		return fmt.Errorf("deleting the kind cluster %s: %w", c.name, err)
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
