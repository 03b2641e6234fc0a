package profile

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// endpointPaths are the default paths of endpoints, on the port of the same name.
var endpointPaths = map[v1alpha1.EndpointName]string{
	v1alpha1.EndpointMetrics: "/metrics",
	v1alpha1.EndpointHealth:  "/healthz",
}

// Endpoint returns the endpoint at which a replica serves metrics or health. The second
// result is false if the profile names none.
func (p *Profile) Endpoint(name v1alpha1.EndpointName) (v1alpha1.Endpoint, bool) {
	launch := p.Spec.Launch
	given := map[v1alpha1.EndpointName]*v1alpha1.Endpoint{
		v1alpha1.EndpointMetrics: launch.Endpoints.Metrics,
		v1alpha1.EndpointHealth:  launch.Endpoints.Health,
	}[name]
	endpoint := v1alpha1.Endpoint{Port: string(name)}
	switch {
	case given != nil:
		endpoint = *given
	case !slices.Contains(p.PortNames(), string(name)):
		return v1alpha1.Endpoint{}, false
	}
	if endpoint.Path == "" {
		endpoint.Path = endpointPaths[name]
	}
	if endpoint.Scheme == "" {
		endpoint.Scheme = "http"
	}
	return endpoint, true
}
