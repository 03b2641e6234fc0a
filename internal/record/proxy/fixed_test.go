package proxy

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestFixed: some fields cannot be changed, so the object must be created again.
func TestFixed(t *testing.T) {
	for name, tc := range map[string]struct {
		resource, before, after string
		same                    bool
	}{
		"replicas and template":            {"deployments.apps", `{"replicas":1,"template":{"a":1}}`, `{"replicas":2,"template":{"a":2}}`, true},
		"the selector":                     {"deployments.apps", `{"selector":{"a":"1"}}`, `{"selector":{"a":"2"}}`, false},
		"the template of a StatefulSet":    {"statefulsets.apps", `{"serviceName":"s","template":{"a":1}}`, `{"serviceName":"s","template":{"a":2}}`, true},
		"the claims of a StatefulSet":      {"statefulsets.apps", `{"volumeClaimTemplates":[{"a":1}]}`, `{"volumeClaimTemplates":[{"a":2}]}`, false},
		"the template of a Job":            {"jobs.batch", `{"template":{"a":1}}`, `{"template":{"a":2}}`, false},
		"parallelism of a Job":             {"jobs.batch", `{"parallelism":1}`, `{"parallelism":2}`, true},
		"the address that a Service gets":  {"services", `{"clusterIP":"10.0.0.1","ports":[1]}`, `{"clusterIP":"10.0.0.2","ports":[2]}`, true},
		"a Service with no address":        {"services", `{"clusterIP":"10.0.0.1"}`, `{"clusterIP":"None"}`, false},
		"the family of a Service":          {"services", `{"ipFamilies":["IPv4"]}`, `{"ipFamilies":["IPv6"]}`, false},
		"a kind of which nothing is known": {"widgets.example.com", `{"a":1}`, `{"a":2}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			fixed := func(spec string) string {
				o, err := decodeObject([]byte(`{"spec":` + spec + `}`))
				if err != nil {
					t.Fatal(err)
				}
				return o.fixed(schema.ParseGroupResource(tc.resource))
			}
			if got := fixed(tc.before) == fixed(tc.after); got != tc.same {
				t.Errorf("the same: %t, want %t", got, tc.same)
			}
		})
	}
}
