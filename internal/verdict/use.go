package verdict

import (
	"net/http"

	"reconform.dev/reconform/internal/record/history"
)

// use is a right that a request needs: an RBAC verb, and a resource with its subresource.
type use struct {
	verb, group, resource string
}

// usesOf returns the rights that the requests needed, each with the names of the objects.
func usesOf(requests []history.Request) map[use]map[string]bool {
	used := map[use]map[string]bool{}
	for _, request := range requests {
		for _, verb := range verbs(request) {
			resource := request.Resource
			if request.Subresource != "" {
				resource += "/" + request.Subresource
			}
			key := use{verb, request.Group, resource}
			if used[key] == nil {
				used[key] = map[string]bool{}
			}
			used[key][request.Name] = true
		}
	}
	return used
}

// verbs returns the verbs that a request needs. A request that creates an object by
// another method than POST needs two verbs.
func verbs(request history.Request) []string {
	if request.Resource == "" {
		return nil
	}
	switch request.Method {
	case http.MethodPost:
		return []string{"create"}
	case http.MethodPut:
		return withCreate("update", request)
	case http.MethodPatch:
		return withCreate("patch", request)
	case http.MethodDelete:
		if request.Name == "" {
			return []string{"deletecollection"}
		}
		return []string{"delete"}
	default:
		return nil
	}
}

func withCreate(verb string, request history.Request) []string {
	if request.Verb == history.VerbCreate {
		return []string{verb, "create"}
	}
	return []string{verb}
}
