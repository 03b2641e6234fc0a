package proxy_test

import (
	"context"
	"net"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/proxy"
)

// TestServiceNames: a client that does not read the environment finds the API server by
// its name in a cluster, on port 443.
func TestServiceNames(t *testing.T) {
	if err := proxy.CheckService(t.Context()); err != nil {
		t.Skip(err)
	}
	server := newFakeServer(t)
	one, two := newReplica(t, server.config(), scopeA), newReplica(t, server.config(), scopeA)
	hosts := map[string]bool{}
	for _, r := range []*replica{one, two} {
		host, port, err := net.SplitHostPort(r.Address())
		if err != nil {
			t.Fatal(err)
		}
		hosts[host] = true
		if diff := cmp.Diff("443", port); diff != "" {
			t.Errorf("port (-want +got):\n%s", diff)
		}
		transport := r.client.Transport.(*http.Transport)
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(host, port))
		}
		for _, name := range append(proxy.ServiceNames(), host) {
			response, err := r.client.Get("https://" + name + "/api/v1/namespaces/a/pods")
			if err != nil {
				t.Errorf("asking %s: %v", name, err)
				continue
			}
			_ = response.Body.Close()
		}
	}
	if len(hosts) != 2 {
		t.Errorf("two replicas share an address: %v", hosts)
	}
}
