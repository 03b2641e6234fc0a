package subject

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Endpoint returns the URL of an endpoint that a replica serves.
func (s *Controller) Endpoint(namespace, replica string, name v1alpha1.EndpointName) (string, error) {
	endpoint, ok := s.Profile(namespace).Endpoint(name)
	if !ok {
		return "", fmt.Errorf("the profile does not say where the endpoint %s is", name)
	}
	r, err := s.replica(namespace, replica)
	if err != nil {
		return "", err
	}
	host := net.JoinHostPort("127.0.0.1", strconv.Itoa(r.ports[endpoint.Port]))
	at, err := url.Parse(endpoint.Scheme + "://" + host + endpoint.Path)
	if err != nil {
		return "", fmt.Errorf("reading the path of the endpoint %s: %w", name, err)
	}
	return at.String(), nil
}

// answerTimeout is how long a replica may take to answer at an endpoint.
const answerTimeout = 10 * time.Second

// Ask sends a request to a replica, which may have a network of its own. If the replica
// answers only to authenticated clients, the request carries a token of the bench,
// which has the right to get this page.
func (s *Controller) Ask(namespace, replica string, request *http.Request) (*http.Response, error) {
	r, err := s.replica(namespace, replica)
	if err != nil {
		return nil, err
	}
	return r.pages(answerTimeout).do(request)
}

// dial connects to the process of the replica.
func (r *replica) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l := r.life()
	if l == nil {
		return nil, fmt.Errorf("connecting to %s: no process runs", r.name)
	}
	return l.process.Dial(ctx, network, address)
}

// Log returns the file with a replica's output.
func (s *Controller) Log(namespace, replica string) (string, error) {
	if _, err := s.replica(namespace, replica); err != nil {
		return "", err
	}
	return s.logPath(namespace, replica), nil
}

// replica finds a replica by its name.
func (s *Controller) replica(namespace, name string) (*replica, error) {
	running := s.Running(namespace)
	if running == nil {
		return nil, fmt.Errorf("no subject runs in namespace %s", namespace)
	}
	if present := s.instance(types.NamespacedName{Namespace: namespace, Name: running.Name}); present != nil {
		if r := present.replica(name); r != nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("subject %s has no replica %s; it has: %s", running.Name, name, strings.Join(running.Replicas, ", "))
}

// replica returns the replica with this name, or nil.
func (i *instance) replica(name string) *replica {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.replicas {
		if r.name == name {
			return r
		}
	}
	return nil
}
