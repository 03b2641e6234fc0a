package proxy

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"

	"reconform.dev/reconform/internal/record/history"
)

// incoming is a request as it came in. It is passed by value, and nothing changes its
// content: the request to the API server is a copy.
type incoming struct {
	request *http.Request
	info    *request.RequestInfo
	// passage through which the request's connection came.
	passage *passage
	// dryRun: nothing is to be changed.
	dryRun bool
}

// receive reads a request. The context of the request ends with the passage.
func (p *Proxy) receive(request *http.Request, passage *passage) incoming {
	// An error means that the path is not valid. The API server will say so.
	info, _ := p.infos.NewRequestInfo(request)
	return incoming{request: request, info: info, passage: passage, dryRun: request.URL.Query().Get("dryRun") != ""}
}

// context of the request. It ends when the replica no longer waits.
func (in incoming) context() context.Context { return in.request.Context() }

func (in incoming) resource() schema.GroupResource {
	return schema.GroupResource{Group: in.info.APIGroup, Resource: in.info.Resource}
}

func (in incoming) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: in.info.APIGroup, Version: in.info.APIVersion}
}

func (in incoming) versionedResource() schema.GroupVersionResource {
	return in.groupVersion().WithResource(in.info.Resource)
}

// key of the object that the request names.
func (in incoming) key() objectKey {
	return objectKey{in.versionedResource(), in.info.Namespace, in.info.Name}
}

// writes says whether the request is meant to change objects.
func (in incoming) writes() bool {
	switch in.info.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return in.info.IsResourceRequest
	default:
		return false
	}
}

// upgrades says whether the request needs another protocol on its connection. A client that
// only offers one, such as h2c, goes on without.
func (in incoming) upgrades() bool {
	protocol := strings.ToLower(in.request.Header.Get("Upgrade"))
	return in.request.Method == http.MethodConnect || protocol == "websocket" || strings.HasPrefix(protocol, "spdy/")
}

func (in incoming) isApply() bool {
	return strings.HasPrefix(in.request.Header.Get("Content-Type"), "application/apply-patch")
}

func (in incoming) query(parameter string) string { return in.request.URL.Query().Get(parameter) }

func (in incoming) logicalVerb() string {
	if !in.info.IsResourceRequest || in.dryRun {
		return history.VerbOther
	}
	switch in.info.Verb {
	case "get", "list", "watch", "create", "update", "delete":
		return in.info.Verb
	case "patch":
		return history.VerbUpdate
	case "deletecollection":
		return history.VerbDelete
	default:
		return history.VerbOther
	}
}

// IsTrue reads a parameter of a query as the API server does: every value that is given is
// true, also an empty one, except 0 and false.
func IsTrue(query url.Values, parameter string) bool {
	given := query[parameter]
	return len(given) > 0 && given[0] != "0" && !strings.EqualFold(given[0], "false")
}
