package proxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// confinement is what becomes of a request for the sake of the scope. The zero value lets it through as it is.
type confinement struct {
	// scope of the replica.
	scope *Scope
	// path to ask under instead of the one that was sent.
	path string
	// review: the request must be authorised here, as it was sent.
	review bool
	// refusal is answered instead of asking the API server.
	refusal *metav1.Status
	// hide: what the API server finds does not exist for the replica.
	hide bool
	// keep says which objects of a list or watch the replica may see. Nil: all.
	keep func(types.NamespacedName) bool
	// note for the record.
	note string
}

// confine decides what becomes of a request.
func confine(ctx context.Context, scope *Scope, info *request.RequestInfo, resources *resources) (confinement, error) {
	c := confinement{scope: scope}
	resource := schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}
	switch {
	case !info.IsResourceRequest, isReview(resource):
	case resource == namespaces:
		c.namespaces(info)
	case info.Namespace != "":
		if !scope.contains(resource, info.Namespace) {
			c.outside(info, resource)
		}
	case info.Verb == "get":
		// Of what has no namespace, or a request that makes no sense.
	default:
		gv := schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
		found, ok, err := resources.find(ctx, gv, info.Resource)
		if err != nil {
			return c, err
		}
		c.clusterWide(info, resource, !ok || found.Namespaced)
	}
	return c, nil
}

var namespaces = schema.GroupResource{Resource: "namespaces"}

func isReview(resource schema.GroupResource) bool {
	return resource.Group == "authentication.k8s.io" || resource.Group == "authorization.k8s.io"
}

// namespaces are seen if they are in scope, and never written.
func (c *confinement) namespaces(info *request.RequestInfo) {
	inScope := func(name string) bool { return slices.Contains(c.scope.Namespaces, name) }
	switch info.Verb {
	case "get":
		c.hide = !inScope(info.Name)
	case "list", "watch":
		c.keep = func(object types.NamespacedName) bool { return inScope(object.Name) }
	default:
		c.refuseWrite(info, namespaces)
	}
}

// outside is a request in a namespace that does not exist for the replica.
func (c *confinement) outside(info *request.RequestInfo, resource schema.GroupResource) {
	c.note = fmt.Sprintf("namespace %s is out of scope", info.Namespace)
	switch info.Verb {
	case "list", "watch":
		c.keep = func(types.NamespacedName) bool { return false }
	case "get":
		c.hide = true
	case "create", "deletecollection":
		c.review = true
		c.refusal = notFound(namespaces, info.Namespace)
	default:
		c.review = true
		c.refusal = notFound(resource, info.Name)
	}
}

// clusterWide is a request that names no namespace. A resource that the API server does not know counts as namespaced:
// it may come to be at any moment, and then must not be seen whole.
func (c *confinement) clusterWide(info *request.RequestInfo, resource schema.GroupResource, namespaced bool) {
	reads := info.Verb == "list" || info.Verb == "watch"
	switch {
	case !reads && !namespaced:
		c.refuseWrite(info, resource)
	case !reads || !namespaced:
		// The API server has no writes across namespaces, and says so itself.
	default:
		inScope := c.scope.namespaces(resource)
		if len(inScope) == 1 {
			c.path = namespacedPath(info, inScope[0])
			c.review = true
			return
		}
		c.keep = func(object types.NamespacedName) bool { return slices.Contains(inScope, object.Namespace) }
	}
}

func (c *confinement) refuseWrite(info *request.RequestInfo, resource schema.GroupResource) {
	c.review = true
	c.note = "the bench lets nobody write cluster-scoped objects"
	status := apierrors.NewForbidden(resource, info.Name, fmt.Errorf("%s", c.note)).Status()
	c.refusal = &status
}

func notFound(resource schema.GroupResource, name string) *metav1.Status {
	status := apierrors.NewNotFound(resource, name).Status()
	return &status
}

// namespacedPath is the path of a list or watch across all namespaces, in one of them:
// /api/v1/pods, /apis/apps/v1/deployments, and the deprecated /api/v1/watch/pods.
func namespacedPath(info *request.RequestInfo, namespace string) string {
	parts := []string{"", info.APIPrefix}
	if info.APIGroup != "" {
		parts = append(parts, info.APIGroup)
	}
	parts = append(parts, info.APIVersion)
	prefix := strings.Join(parts, "/")
	rest := strings.TrimPrefix(info.Path, prefix)
	if after, ok := strings.CutPrefix(rest, "/watch/"); ok {
		return prefix + "/watch/namespaces/" + namespace + "/" + after
	}
	return prefix + "/namespaces/" + namespace + rest
}

// upgrades says whether a request asks for another protocol on its connection.
func upgrades(in *http.Request) bool {
	return in.Method == http.MethodConnect || in.Header.Get("Upgrade") != ""
}
