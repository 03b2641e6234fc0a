package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"

	"reconform.dev/reconform/internal/history"
)

// confinement is what becomes of a request for the sake of the scope. The zero value
// lets it through as it is.
type confinement struct {
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
		// It has no namespace, or makes no sense.
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

// confineNamespaces: namespaces are seen if they are in scope, and never written.
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

// confineOutside is for a request in a namespace that does not exist for the replica.
func confineOutside(in incoming) confinement {
	note := fmt.Sprintf("namespace %s is out of scope", in.info.Namespace)
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

// confineClusterWide is for a request that names no namespace. A resource that the API
// server does not know counts as namespaced: it may be defined at any moment, and then
// the replica must not see all of it.
func confineClusterWide(scope *Scope, in incoming, namespaced bool) confinement {
	reads := in.info.Verb == "list" || in.info.Verb == "watch"
	switch {
	case !reads && !namespaced && slices.Contains(scope.ClusterWrites, in.resource()):
		return confinement{}
	case !reads && !namespaced:
		return refuseWrite(in)
	case !reads || !namespaced:
		// The API server has no writes across namespaces, and says so itself.
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

// refuseWrite of an object that has no namespace.
func refuseWrite(in incoming) confinement {
	status := apierrors.NewForbidden(in.resource(), in.info.Name, errors.New(history.NoteClusterScoped)).Status()
	return confinement{note: history.NoteClusterScoped, review: true, refusal: &status}
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
