package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/proxy"
)

// stale answers reads that may come from a cache with the state as of the Fault's
// creation. Watches that begin while the Fault lasts stand still: at the state that
// they begin with, or at the Fault's creation where that is later. It does nothing that
// an API server may not do whose cache is behind:
//
//   - get, list and the list that a watch begins with, with resourceVersion 0 or one
//     that is no newer than the Fault: answered as of the Fault's creation;
//   - the same without resourceVersion, and pages that continue a list: consistent
//     reads, which pass; so a watch without one begins with what there is now;
//   - resourceVersionMatch Exact: passes.
//
// An API server without streaming lists (listsOnly) refuses them, and its clients list.
//
// Otherwise it depends on how clients list whether they see the past when they start.
// Reflectors of client-go up to 0.34 list with resourceVersion 0, and see it. From 0.35
// on they begin with a streaming list without resourceVersion, which is consistent, and
// only then stand still. Both see the past when they list again, as they do that with
// the last version that they know.
//
// When the Fault is deleted, a watch that lacks any event is closed cleanly, as after a
// freeze. The API server keeps its history for five minutes. After that reads pass, and
// watches still stand still.
type stale struct {
	// version of the Fault when it was created, which is a version of the whole
	// cluster.
	version string
	// unsupported answers streaming lists; nil where there are any.
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

// versionOf a Fault: what is older was there before it.
func versionOf(object *v1alpha1.Fault) (string, error) {
	if _, err := resourceversion.CompareResourceVersion(object.ResourceVersion, "1"); err != nil {
		return "", fmt.Errorf("the Fault has no resourceVersion that can be compared: %w", err)
	}
	return object.ResourceVersion, nil
}

// wants those reads that may be answered from a cache as old as the Fault.
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
		// With a limit, a version without a match is an exact one.
		exact := match == metav1.ResourceVersionMatchExact ||
			match == "" && version != "0" && limited(query)
		return s.covers(version) && !exact && query.Get("continue") == ""
	case history.VerbWatch:
		if s.unsupported != nil && startsWithList(query) {
			return true
		}
		// Any other watch begins with a version of its own.
		return (mostRecent(query) || s.covers(version) && (version == "0" || startsWithList(query))) &&
			query.Get("sendInitialEvents") != "false" && !asksForTable(call.Out)
	default:
		return false
	}
}

// covers says whether a state as of the Fault's creation is at least as new as a
// version.
func (s *stale) covers(version string) bool {
	if version == "0" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(version, s.version)
	return err == nil && order <= 0
}

// mostRecent says whether a watch names no version at all: it begins with all objects that
// there are now, and nothing says where these end.
func mostRecent(query url.Values) bool {
	return query.Get("resourceVersion") == "" && !startsWithList(query)
}

func asksForTable(out *http.Request) bool {
	return strings.Contains(strings.Join(out.Header.Values("Accept"), ","), "as=Table")
}

// act answers the read as of the Fault's creation.
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

// exactly is a query for the state as of the Fault's creation.
func (s *stale) exactly(query url.Values) url.Values {
	query.Set("resourceVersion", s.version)
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
	return query
}

// with is the request with another query.
func with(out *http.Request, query url.Values) *http.Request {
	out = out.Clone(out.Context())
	out.URL.RawQuery = query.Encode()
	return out
}

// again lets the request pass as it was, where the API server no longer has the past.
func again(h *hit, next proxy.Next, refused *http.Response) (*http.Response, error) {
	_ = refused.Body.Close() // nobody reads it
	return next(h.Out)
}
