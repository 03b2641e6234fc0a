package chainsaw

import (
	"net/http"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// unseen leaves the bystanders of the bench out of every list. Tests that count objects, or
// expect none of a kind, are only about the controller's objects and their own.
func unseen(next http.RoundTripper) http.RoundTripper { return unseenTransport{next} }

type unseenTransport struct{ next http.RoundTripper }

func (t unseenTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || !isList(req.URL.Path) {
		return t.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	query := req.URL.Query()
	selector := "!" + v1alpha1.LabelBystander
	if present := query.Get("labelSelector"); present != "" {
		selector = present + "," + selector
	}
	query.Set("labelSelector", selector)
	req.URL.RawQuery = query.Encode()
	return t.next.RoundTrip(req)
}

// isList tells whether a path is that of a resource, in one namespace or in all, and not
// that of one object.
func isList(path string) bool {
	_, path, _ = strings.Cut(path, "/api") // the path of the server may have a prefix
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case strings.HasPrefix(path, "s/") && len(parts) > 3: // apis, group and version
		parts = parts[3:]
	case strings.HasPrefix(path, "/v1/"):
		parts = parts[1:]
	default:
		return false
	}
	return len(parts) == 1 || len(parts) == 3 && parts[0] == "namespaces"
}
