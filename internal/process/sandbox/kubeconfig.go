//go:build unix

package sandbox

import (
	"fmt"
	"net"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

func kubeconfigPath(home string) string { return filepath.Join(home, ".kube", "config") }

// kubeconfig returns a kubeconfig for the same API server as the in-cluster configuration.
// It names the same token file, because the token may be replaced. A client that does not
// support the file uses the other token; all others prefer the file.
func (s *Spec) kubeconfig(tokenFile string) (string, error) {
	type named map[string]any
	const name = "reconform"
	data, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1",
		"kind":       "Config",
		"clusters": []named{{"name": name, "cluster": map[string]any{
			"server": "https://" + net.JoinHostPort(s.Host, s.Port), "certificate-authority-data": s.CA,
		}}},
		"users":           []named{{"name": name, "user": map[string]any{"token": s.KubeconfigToken, "tokenFile": tokenFile}}},
		"contexts":        []named{{"name": name, "context": map[string]any{"cluster": name, "user": name, "namespace": s.Namespace}}},
		"current-context": name,
	})
	if err != nil {
		return "", fmt.Errorf("encoding the kubeconfig: %w", err)
	}
	return string(data), nil
}
