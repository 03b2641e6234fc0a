package infer

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// alwaysAddress tells whether a path held an address of the Service at each moment, with a
// port that the Service had at that moment.
func (r *Record) alwaysAddress(moments []moment, path string, service *unstructured.Unstructured) bool {
	return len(moments) > 0 && always(moments, path, func(m moment, value any) bool {
		text, ok := value.(string)
		present := r.Film.At(m.version)[refOf(service)]
		if present == nil {
			present = service
		}
		return ok && (text != service.GetName() || saysAddress(path)) && isAddress(text, present)
	})
}

// isAddress tells whether a text is a URL of a Service, or its host. The host is the DNS
// name of the Service, in any length that DNS resolves, or its IP address. The port is one
// of the Service. A plain host needs no port, and a URL without one has the default port of
// its scheme.
func isAddress(text string, service *unstructured.Unstructured) bool {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		scheme, rest = "", text
	}
	parsed, err := url.Parse("//" + rest)
	if err != nil || parsed.Host == "" || !isHostOf(parsed.Hostname(), service) {
		return false
	}
	port := parsed.Port()
	if port == "" {
		if port = map[string]string{"http": "80", "https": "443"}[scheme]; port == "" {
			return !isURL && parsed.Path == ""
		}
	}
	ports, _ := At(service.Object, "spec.ports").([]any)
	return slices.ContainsFunc(ports, func(item any) bool {
		fields, _ := item.(map[string]any)
		return same(fields["port"], port)
	})
}

// saysAddress tells whether the name of a field says that the field holds an address. The
// name of the Service in a field is not enough: something else may have that name, too.
func saysAddress(path string) bool {
	_, last := parent(path)
	last = strings.ToLower(last)
	return slices.ContainsFunc([]string{"url", "host", "address", "endpoint"}, func(word string) bool { return strings.Contains(last, word) })
}

// isHostOf tells whether a host is the DNS name of a Service, or its address.
func isHostOf(host string, service *unstructured.Unstructured) bool {
	if net.ParseIP(host) != nil {
		return same(At(service.Object, "spec.clusterIP"), host)
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for n, want := range []string{service.GetName(), service.GetNamespace(), "svc"} {
		if n < len(labels) && labels[n] != want {
			return false
		}
	}
	return true
}
