package cluster

import (
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

func TestLooksLikeProduction(t *testing.T) {
	for _, tc := range []struct {
		context, server string
		does            bool
	}{
		{"kind-try", "https://127.0.0.1:34567", false},
		{"kind-remote", "https://10.0.0.1:6443", false},
		{"minikube", "https://192.168.49.2:8443", false},
		{"reconform", "https://127.0.0.1:6443", false},
		{"mine", "https://localhost:6443", false},
		{"mine", "https://[::1]:6443", false},
		{"mine", "https://10.0.0.1:6443", true},
		{"kindred", "https://10.0.0.1:6443", true},
		{"arn:aws:eks:eu-west-1:1:cluster/shop", "https://example.com", true},
		{"tunnel-to-PROD", "https://127.0.0.1:6443", true},
		{"broken", "://", true},
	} {
		t.Run(tc.context+" "+tc.server, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubeconfig")
			config := api.NewConfig()
			config.CurrentContext = tc.context
			config.Contexts[tc.context] = &api.Context{Cluster: "one"}
			config.Clusters["one"] = &api.Cluster{Server: tc.server}
			if err := clientcmd.WriteToFile(*config, path); err != nil {
				t.Fatal(err)
			}
			if err := LooksLikeProduction(path); (err != nil) != tc.does {
				t.Errorf("%v, want an error: %v", err, tc.does)
			}
		})
	}
}
