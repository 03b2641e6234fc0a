package proxy

import (
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"

	"reconform.dev/reconform/internal/record/history"
)

// confinement says what the scope does with a request. The zero value lets the request
// through unchanged.
type confinement struct {
	// path to request instead of the one that was sent.
	path string
	// review: the proxy must authorise the request as it was sent.
	review bool
	// refusal is the answer of the proxy. The API server is then not asked.
	refusal *metav1.Status
	// hide: the replica must not see the object, even if the API server finds it.
	hide bool
	// keep says which objects of a list or watch the replica may see. Nil means all.
	keep func(types.NamespacedName) bool
	// note for the record.
	note string
}

// confine decides what the scope does with a request.
func confine(ctx context.Context, scope *Scope, in incoming, resources *resources) (confinement, error) {
	resource := in.resource()
	switch {
	case !in.info.IsResourceRequest, isReview(resource):
		return confinement{}, nil
	case resource == namespaces:
		return confineNamespaces(scope, in), nil
	case in.info.Namespace != "" && !scope.contains(resource, in.info.Namespace):
		return confineOutside(in), nil
	case in.info.Namespace != "":
		return confinement{}, nil
	case in.info.Verb == "get":
		// The object has no namespace, or the request is not valid.
		return confinement{}, nil
	default:
		found, ok, err := resources.find(ctx, in.groupVersion(), in.info.Resource)
		if err != nil {
			return confinement{}, err
		}
		return confineClusterWide(scope, in, !ok || found.Namespaced), nil
	}
}

var namespaces = schema.GroupResource{Resource: "namespaces"}

func isReview(resource schema.GroupResource) bool {
	return resource.Group == "authentication.k8s.io" || resource.Group == "authorization.k8s.io"
}

// confineNamespaces handles a request for namespaces. The replica sees those in scope, and
// may not write them.
func confineNamespaces(scope *Scope, in incoming) confinement {
	switch in.info.Verb {
	case "get":
		return confinement{hide: !scope.exists(in.info.Name)}
	case "list", "watch":
		return confinement{keep: func(object types.NamespacedName) bool { return scope.exists(object.Name) }}
	default:
		return refuseWrite(in)
	}
}

// ofAPIServer is the name of the objects in which the API server itself tells each cluster where
// it is. They are in the namespace default.
const ofAPIServer = "kubernetes"

// tellsOfAPIServer says whether the request may read such an object: the Service, or its addresses.
func tellsOfAPIServer(in incoming) bool {
	if in.info.Namespace != metav1.NamespaceDefault || in.info.Subresource != "" {
		return false
	}
	switch in.resource().String() {
	case "services", "endpoints", "endpointslices.discovery.k8s.io":
		return in.info.Verb == "list" || in.info.Verb == "watch" || in.info.Verb == "get" && in.info.Name == ofAPIServer
	default:
		return false
	}
}

// confineOutside handles a request in a namespace that does not exist for the replica.
func confineOutside(in incoming) confinement {
	switch {
	case tellsOfAPIServer(in) && in.info.Verb == "get":
		return confinement{}
	case tellsOfAPIServer(in):
		return confinement{keep: func(object types.NamespacedName) bool { return object.Name == ofAPIServer }}
	}
	note := "namespace " + in.info.Namespace + history.NoteOutOfScope
	switch in.info.Verb {
	case "list", "watch":
		return confinement{note: note, keep: func(types.NamespacedName) bool { return false }}
	case "get":
		return confinement{note: note, hide: true}
	case "create", "deletecollection":
		return confinement{note: note, review: true, refusal: notFound(namespaces, in.info.Namespace)}
	default:
		return confinement{note: note, review: true, refusal: notFound(in.resource(), in.info.Name)}
	}
}

// confineClusterWide handles a request without a namespace. A resource that the API server
// does not know counts as namespaced: its definition may be created at any moment, and
// then the replica must not see all of its objects.
func confineClusterWide(scope *Scope, in incoming, namespaced bool) confinement {
	reads := in.info.Verb == "list" || in.info.Verb == "watch"
	switch {
	case !reads && !namespaced && slices.Contains(scope.ClusterWrites, in.resource()):
		return confinement{}
	case !reads && !namespaced:
		return refuseWrite(in)
	case !reads || !namespaced:
		// The API server has no writes across namespaces, and says that itself.
		return confinement{}
	}
	inScope := scope.namespaces(in.resource())
	if len(inScope) == 1 {
		return confinement{path: namespacedPath(in.info, inScope[0]), review: true}
	}
	return confinement{keep: func(object types.NamespacedName) bool {
		return slices.Contains(inScope, object.Namespace)
	}}
}

// refuseWrite refuses a write of an object that has no namespace.
func refuseWrite(in incoming) confinement {
	status := apierrors.NewForbidden(in.resource(), in.info.Name, errors.New(history.NoteClusterScoped)).Status()
	return confinement{note: history.NoteClusterScoped, review: true, refusal: &status}
}

func notFound(resource schema.GroupResource, name string) *metav1.Status {
	status := apierrors.NewNotFound(resource, name).Status()
	return &status
}

// namespacedPath turns the path of a list or watch of all namespaces into its path in one
// namespace: /api/v1/pods, /apis/apps/v1/deployments, and the deprecated
// /api/v1/watch/pods.
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
