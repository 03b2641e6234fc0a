package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// stale answers reads that may come from a cache with the state at the Fault's creation.
// Watches that start while the Fault lasts deliver no changes after the Fault's creation,
// or after their own start if that is later. It does only what an API server may do whose
// cache is behind:
//
//   - get, list and the list at the start of a watch, with resourceVersion 0 or one that
//     is not newer than the Fault: answered with the state at the Fault's creation;
//   - the same without resourceVersion, and the next pages of a list: they are consistent
//     reads, so they pass; a watch without a resourceVersion therefore starts with the
//     current state;
//   - resourceVersionMatch Exact: passes.
//
// With listsOnly, streaming lists are refused, as by an API server without them. Its
// clients then list.
//
// Without listsOnly, not every client sees the past when it starts: that depends on how it lists.
// Reflectors of client-go up to 0.34 list with resourceVersion 0, and see it. From 0.35 on
// they start with a streaming list without resourceVersion, which is consistent, and stand
// still only after that. Both see the past when they list again, because then they ask for the
// last version that they know.
//
// When the Fault is deleted, a watch that lacks events is closed cleanly, as after a
// freeze. The API server keeps its history for five minutes. After that, reads pass, but
// watches still stand still.
type stale struct {
	// version of the Fault when it was created. It is also a version of the whole cluster.
	version string
	// unsupported refuses streaming lists. It is nil if they are supported.
	unsupported *respond
}

func newStale(object *v1alpha1.Fault) (*stale, error) {
	version, err := versionOf(object)
	if err != nil {
		return nil, fmt.Errorf("spec.action.stale: %w", err)
	}
	s := &stale{version: version}
	if object.Spec.Action.Stale.ListsOnly {
		answer, err := newNoStreamingLists()
		if err != nil {
			return nil, err
		}
		s.unsupported = &answer
	}
	return s, nil
}

// versionOf returns the version of a Fault. Objects with an older version existed before
// the Fault.
func versionOf(object *v1alpha1.Fault) (string, error) {
	if _, err := resourceversion.CompareResourceVersion(object.ResourceVersion, "1"); err != nil {
		return "", fmt.Errorf("the Fault has no resourceVersion that can be compared: %w", err)
	}
	return object.ResourceVersion, nil
}

// wants returns true for reads that may be answered from a cache as old as the Fault.
func (s *stale) wants(call *proxy.Call) bool {
	request := call.Request()
	if call.Out.Method != http.MethodGet || request.Subresource != "" {
		return false
	}
	query := call.Out.URL.Query()
	version := query.Get("resourceVersion")
	switch request.Verb {
	case history.VerbGet:
		return s.covers(version)
	case history.VerbList:
		match := metav1.ResourceVersionMatch(query.Get("resourceVersionMatch"))
		// With a limit, a version without resourceVersionMatch means an exact version.
		exact := match == metav1.ResourceVersionMatchExact ||
			match == "" && version != "0" && limited(query)
		return s.covers(version) && !exact && query.Get("continue") == ""
	case history.VerbWatch:
		if s.unsupported != nil && startsWithList(query) {
			return true
		}
		// Any other watch starts at the version that it names.
		return (mostRecent(query) || s.covers(version) && (version == "0" || startsWithList(query))) &&
			!declinesList(query) && !asksForTable(call.Out)
	default:
		return false
	}
}

// covers says whether the state at the Fault's creation is at least as new as a version.
func (s *stale) covers(version string) bool {
	if version == "0" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(version, s.version)
	return err == nil && order <= 0
}

// mostRecent says whether a watch names no version. Such a watch starts with all existing
// objects, and nothing marks the end of these.
func mostRecent(query url.Values) bool {
	return query.Get("resourceVersion") == "" && !startsWithList(query)
}

func asksForTable(out *http.Request) bool {
	return strings.Contains(strings.Join(out.Header.Values("Accept"), ","), "as=Table")
}

// act answers the read with the state at the Fault's creation.
func (s *stale) act(h *hit, next proxy.Next) (*http.Response, error) {
	switch h.Request().Verb {
	case history.VerbGet:
		return s.get(h, next)
	case history.VerbWatch:
		if s.unsupported != nil && startsWithList(h.Out.URL.Query()) {
			return s.unsupported.act(h, next)
		}
		return s.watch(h, next)
	}
	response, err := next(with(h.Out, s.exactly(h.Out.URL.Query())))
	if err != nil || response.StatusCode == http.StatusOK {
		return response, err
	}
	return again(h, next, response)
}

// exactly changes a query so that it asks for the state at the Fault's creation.
func (s *stale) exactly(query url.Values) url.Values {
	query.Set("resourceVersion", s.version)
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
	return query
}

// with returns the request with another query.
func with(out *http.Request, query url.Values) *http.Request {
	out = out.Clone(out.Context())
	out.URL.RawQuery = query.Encode()
	return out
}

// again lets the unchanged request pass, because the API server no longer has the past.
func again(h *hit, next proxy.Next, refused *http.Response) (*http.Response, error) {
	_ = refused.Body.Close() // nobody reads it
	return next(h.Out)
}
