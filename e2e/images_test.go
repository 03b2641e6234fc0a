package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

const (
	// standIn is an image that answers every request at port 8080.
	standIn = "registry.example/reconform-pod:v1"
	// nginx is what each MyResource runs. Unless Docker has it, standIn gets this name.
	nginx = "nginx:1.14.2"
)

// images that the nodes must have.
func images() []string {
	all := []string{standIn, nginx}
	for _, s := range systems() {
		all = append(all, s.image)
	}
	return all
}

// buildImages makes them. Remove takes those names away that Docker did not have before.
func buildImages(ctx context.Context) (remove func(), err error) {
	var absent []string
	for _, image := range images() {
		if !dockerHas(ctx, "image", image) {
			absent = append(absent, image)
		}
	}
	remove = func() {
		for _, image := range absent {
			_ = exec.Command("docker", "rmi", image).Run() // it may not be there yet
		}
	}
	commands := []*exec.Cmd{exec.CommandContext(ctx, "make", "--directory", "..", "images")}
	for name := range systems() {
		commands = append(commands, exec.CommandContext(ctx, "make", "--directory", "..", "image", "SYSTEM="+name))
	}
	if slices.Contains(absent, nginx) {
		commands = append(commands, exec.CommandContext(ctx, "docker", "tag", standIn, nginx))
	}
	for _, command := range commands {
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			remove()
			return nil, fmt.Errorf("%s: %w", command, err)
		}
	}
	return remove, nil
}

// dockerHas tells whether Docker knows an image, or a network, of that name.
func dockerHas(ctx context.Context, kind, name string) bool {
	return exec.CommandContext(ctx, "docker", kind, "inspect", name).Run() == nil
}

// load the images, as one archive, into all nodes.
func (c *kindCluster) load(ctx context.Context) error {
	nodes, err := c.provider.ListInternalNodes(c.name)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		save := exec.CommandContext(ctx, "docker", append([]string{"save"}, images()...)...)
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
			return fmt.Errorf("node %s: %w", node, err)
		}
	}
	return nil
}
