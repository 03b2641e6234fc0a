package fault

import (
	"net/http"
	"net/url"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/proxy"
)

// startsWithList says whether a watch is a streaming list: it starts with all existing
// objects and marks their end.
func startsWithList(query url.Values) bool {
	return proxy.IsTrue(query, "sendInitialEvents")
}

// declinesList says whether a watch asks that the existing objects are not sent first.
func declinesList(query url.Values) bool {
	return query.Has("sendInitialEvents") && !startsWithList(query)
}

// newNoStreamingLists refuses a streaming list with the message of an API server without
// that feature. The clients then use a normal list.
func newNoStreamingLists() (respond, error) {
	return newRespond(v1alpha1.Respond{
		Code: http.StatusUnprocessableEntity,
		Message: `ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: ` +
			`sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled`,
	})
}

// limited says whether a list asks for pages. A limit of 0 means no limit.
func limited(query url.Values) bool {
	limit := query.Get("limit")
	return limit != "" && limit != "0"
}
