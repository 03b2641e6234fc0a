package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/release"
)

const assetsVariable = "KUBEBUILDER_ASSETS"

// provide builds the control plane's binaries, if a checkout replaces the module of the
// suite and nothing else says where the binaries are.
func (c *command) provide(ctx context.Context) error {
	if c.options.Command != "" || c.options.Kubeconfig != "" || os.Getenv(release.LocationVariable) != "" ||
		hasAll(os.Getenv(assetsVariable)) {
		return nil
	}
	version, err := envtest.ParseVersion(c.options.Kubernetes)
	if err != nil {
		return err
	}
	found, err := output(ctx, c.progress, "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return fmt.Errorf("finding the module of the suite: %w", err)
	}
	dir := strings.TrimSpace(found)
	build := filepath.Join(dir, "envtest", "assets", "build.sh")
	if _, err := os.Stat(build); err != nil {
		return nil // this is not a checkout; the program says what is missing
	}
	assets := filepath.Join(dir, "bin", "k8s", version)
	if _, err := output(ctx, c.progress, "bash", build, assets); err != nil {
		return fmt.Errorf("building the control plane: %w", err)
	}
	c.environment = append(c.environment, assetsVariable+"="+assets)
	return nil
}

// hasAll tells whether a folder has the binaries that setup-envtest does not bring.
func hasAll(dir string) bool {
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kwok"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
