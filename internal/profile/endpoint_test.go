package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestEndpoints(t *testing.T) {
	type where struct {
		At    v1alpha1.Endpoint
		Known bool
	}
	for name, tc := range map[string]struct {
		launch          string
		metrics, health where
	}{
		"nowhere": {launch: "ports: [web]"},
		"on ports of their names": {
			"ports: [metrics, health]",
			where{v1alpha1.Endpoint{Port: "metrics", Path: "/metrics", Scheme: "http"}, true},
			where{v1alpha1.Endpoint{Port: "health", Path: "/healthz", Scheme: "http"}, true},
		},
		"where the profile says": {
			"ports: [web, metrics]\n    endpoints: {metrics: {port: web, scheme: https}, health: {port: web, path: /livez}}",
			where{v1alpha1.Endpoint{Port: "web", Path: "/metrics", Scheme: "https"}, true},
			where{v1alpha1.Endpoint{Port: "web", Path: "/livez", Scheme: "http"}, true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse("mine.yaml", []byte(edit(t, minimal, "[./site]", "[./site]\n    "+tc.launch)))
			if err != nil {
				t.Fatal(err)
			}
			var metrics, health where
			metrics.At, metrics.Known = p.Endpoint(v1alpha1.EndpointMetrics)
			health.At, health.Known = p.Endpoint(v1alpha1.EndpointHealth)
			if diff := cmp.Diff([]where{tc.metrics, tc.health}, []where{metrics, health}); diff != "" {
				t.Error(diff)
			}
		})
	}
}
