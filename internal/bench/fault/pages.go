package fault

import (
	"net/http"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// pages makes lists with a limit come one object at a time, like a list that is too long
// for one page. An API server may always give fewer objects than the limit.
type pages struct {
	// unsupported answers streaming lists, which have no pages.
	unsupported respond
}

func newPages() (*pages, error) {
	answer, err := newNoStreamingLists()
	return &pages{unsupported: answer}, err
}

// wants returns true for lists with a limit, and for streaming lists.
func (p *pages) wants(call *proxy.Call) bool {
	query := call.Out.URL.Query()
	switch call.Request().Verb {
	case history.VerbList:
		return limited(query)
	case history.VerbWatch:
		return startsWithList(query)
	default:
		return false
	}
}

func (p *pages) act(h *hit, next proxy.Next) (*http.Response, error) {
	if h.Request().Verb == history.VerbWatch {
		return p.unsupported.act(h, next)
	}
	query := h.Out.URL.Query()
	query.Set("limit", "1")
	if query.Get("resourceVersion") == "0" {
		// Any version will do. For version 0, the API server would answer from its cache,
		// without pages. The newest version has pages.
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
	}
	return next(with(h.Out, query))
}
