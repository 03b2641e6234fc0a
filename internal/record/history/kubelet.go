package history

import (
	"net/http"
	"slices"
)

// intoPods returns the subresources that reach a process of a Pod.
func intoPods() []string {
	return []string{"pods/attach", "pods/exec", "pods/log", "pods/portforward", "pods/proxy", "services/proxy", "nodes/proxy"}
}

// IntoPod says whether a request is for a process of a Pod, by way of its kubelet: a
// command to run, a port to forward, the lines that it has written.
func (r *Request) IntoPod() bool {
	return r.Group == "" && slices.Contains(intoPods(), r.Resource+"/"+r.Subresource)
}

// Unserved returns the requests for processes of Pods that the bench could not serve, and
// that no Fault hit. Without a kubelet a Pod has no processes, and a proxy carries no
// upgraded connections.
func (a *Account) Unserved() []Request {
	var found []Request
	for _, request := range a.Requests {
		if request.IntoPod() && request.Fault == "" && request.Code >= http.StatusInternalServerError {
			found = append(found, request)
		}
	}
	return found
}
