package proxy

import (
	"context"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resources knows which resources the API server serves. It remembers the resources that
// it has seen, because a resource does not change its scope. It asks again for unknown
// resources, because a CustomResourceDefinition may have been created.
type resources struct {
	cluster *cluster

	mu    sync.Mutex
	known map[schema.GroupVersion]map[string]metav1.APIResource // by name, subresources as name/subresource
}

func newResources(cluster *cluster) *resources {
	return &resources{cluster: cluster, known: map[schema.GroupVersion]map[string]metav1.APIResource{}}
}

// find finds a resource, or a subresource as name/subresource. It returns false if the API
// server has none with that name.
func (r *resources) find(ctx context.Context, gv schema.GroupVersion, name string) (metav1.APIResource, bool, error) {
	if found, ok := r.remembered(gv, name); ok {
		return found, true, nil
	}
	if err := r.refresh(ctx, gv); err != nil {
		return metav1.APIResource{}, false, err
	}
	found, ok := r.remembered(gv, name)
	return found, ok, nil
}

// hasStatus says whether a resource has a status subresource.
func (r *resources) hasStatus(ctx context.Context, gv schema.GroupVersion, name string) (bool, error) {
	if _, ok := r.remembered(gv, name+"/status"); ok {
		return true, nil
	}
	if _, ok := r.remembered(gv, name); ok {
		return false, nil
	}
	_, ok, err := r.find(ctx, gv, name+"/status")
	return ok, err
}

func (r *resources) remembered(gv schema.GroupVersion, name string) (metav1.APIResource, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.known[gv][name]
	return found, ok
}

func (r *resources) refresh(ctx context.Context, gv schema.GroupVersion) error {
	path := "/apis/" + gv.String()
	if gv.Group == "" {
		path = "/api/" + gv.Version
	}
	var list metav1.APIResourceList
	if err := r.cluster.do(ctx, http.MethodGet, path, nil, &list); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	byName := make(map[string]metav1.APIResource, len(list.APIResources))
	for _, resource := range list.APIResources {
		byName[resource.Name] = resource
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[gv] = byName
	return nil
}
