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
			if err := LooksLikeProduction(path, ""); (err != nil) != tc.does {
				t.Errorf("%v, want an error: %v", err, tc.does)
			}
		})
	}
}

// TestContext: another context than the current one can be chosen. The kubeconfig that
// is written contains only that context.
func TestContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	config := api.NewConfig()
	config.CurrentContext = "production"
	for name, server := range map[string]string{"production": "https://10.0.0.1:6443", "kind-try": "https://127.0.0.1:34567"} {
		config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
		config.Clusters[name] = &api.Cluster{Server: server}
		config.AuthInfos[name] = &api.AuthInfo{Token: "of " + name}
	}
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	if err := LooksLikeProduction(path, ""); err == nil {
		t.Error("the current context does not look like production")
	}
	if err := LooksLikeProduction(path, "kind-try"); err != nil {
		t.Error(err)
	}
	out := filepath.Join(t.TempDir(), "kubeconfig")
	if err := WriteContext(path, "kind-try", out); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ path, context, server, token string }{
		{path, "", "https://10.0.0.1:6443", "of production"},
		{path, "kind-try", "https://127.0.0.1:34567", "of kind-try"},
		{out, "", "https://127.0.0.1:34567", "of kind-try"},
	} {
		config, _, err := Connect(tc.path, tc.context)
		if err != nil {
			t.Fatal(err)
		}
		if config.Host != tc.server || config.BearerToken != tc.token {
			t.Errorf("context %q leads to %s with the token %q", tc.context, config.Host, config.BearerToken)
		}
	}
	if _, _, err := Connect(out, "production"); err == nil || err.Error() != out+` has no context "production"; it has: kind-try` {
		t.Errorf("the others are there too: %v", err)
	}
}
