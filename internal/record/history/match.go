package history

import (
	"path"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Matches says whether match selects a request. Some requests belong to the running of a
// controller, not to its work: Leases, Events, token and access reviews. They match only
// if resources names them. A ConfigMap with which an election is held does not match at all.
func Matches(match v1alpha1.RequestMatch, request Request) bool {
	return !request.Lock && matches(match, request)
}

func matches(match v1alpha1.RequestMatch, request Request) bool {
	if len(match.Resources) == 0 {
		if isHousekeeping(request) {
			return false
		}
	} else if !slices.Contains(match.Resources, request.GroupResource().String()) {
		return false
	}
	return matchesVerb(match.Verbs, request) &&
		matchesSubresource(match.Subresource, request) &&
		(!match.AcrossNamespaces || request.Namespace == "") &&
		matchesName(match.Names, request.named())
}

// Exempts says whether a profile declares a request as exempt, so that it is not judged. A
// request that is exempt from only some invariants is judged.
func Exempts(exemptions []v1alpha1.Exemption, request Request) bool {
	return slices.ContainsFunc(exemptions, func(e v1alpha1.Exemption) bool {
		return len(e.Invariants) == 0 && Covers(e, request)
	})
}

// ExemptsFrom says whether a profile declares that a request may break an invariant.
func ExemptsFrom(exemptions []v1alpha1.Exemption, rule string, request Request) bool {
	return slices.ContainsFunc(exemptions, func(e v1alpha1.Exemption) bool {
		return slices.Contains(e.Invariants, rule) && Covers(e, request)
	})
}

// Covers says whether an exemption is about a request, from whatever it exempts it.
func Covers(e v1alpha1.Exemption, request Request) bool {
	return matchesVerb(e.Verbs, request) && slices.Contains(e.Resources, request.GroupResource().String()) &&
		(len(e.Fields) == 0 || changesOnly(request, e.Fields))
}

// changesOnly says whether a request is an update that has changed one or more of some fields,
// and no other.
func changesOnly(request Request, fields []string) bool {
	other := func(path string) bool {
		return !slices.ContainsFunc(fields, func(field string) bool { return within(path, field) })
	}
	return request.Verb == VerbUpdate && len(request.Changed) > 0 && !slices.ContainsFunc(request.Changed, other)
}

func matchesVerb(verbs []string, request Request) bool {
	return len(verbs) == 0 || slices.Contains(verbs, request.Verb) ||
		request.StreamingList && slices.Contains(verbs, VerbList)
}

func matchesName(names []string, name string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(want string) bool {
		matches, err := path.Match(want, name)
		return matches && err == nil
	})
}

func matchesSubresource(subresource string, request Request) bool {
	switch subresource {
	case "":
		return true
	case "-":
		return request.Subresource == ""
	default:
		return request.Subresource == subresource
	}
}

func isHousekeeping(request Request) bool {
	if request.IsElection() {
		return true
	}
	switch request.Group {
	case "authentication.k8s.io", "authorization.k8s.io":
		return true
	case "events.k8s.io":
		return request.Resource == "events"
	case "":
		return request.Resource == "events" ||
			request.Resource == "serviceaccounts" && request.Subresource == "token"
	default:
		return false
	}
}
