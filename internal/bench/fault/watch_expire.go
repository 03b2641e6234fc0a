package fault

import (
	"net/http"
	"net/url"
	"sync"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
	"reconform.dev/reconform/internal/record/stream"
)

const expiredMessage = "too old resource version: a Fault of the scenario makes it expire"

// expire ends a stream with an ERROR event: 410, its version is too old. It waits until
// the first objects of a streaming list are sent, because they belong to no version.
type expire struct{ claim }

func (x *expire) turn(s *streamBody) move {
	if s.sent.initial {
		return move{}
	}
	last, err := stream.Expired(expiredMessage)
	if err != nil || !x.hit() {
		return move{}
	}
	return move{end: true, last: last}
}

// expiry closes streams. It answers the next request for the same objects with 410, if
// that request names a version. The answer counts as the hit. A watch that names no
// version starts again by itself, as it would have to do after a 410: it counts as a hit,
// and passes.
type expiry struct {
	respond

	mu sync.Mutex
	// expired counts closed streams whose client was not yet answered with 410, by replica
	// and path.
	expired map[string]int
	closed  int
}

func newExpiry() (*expiry, error) {
	answer, err := newRespond(v1alpha1.Respond{Code: http.StatusGone, Message: expiredMessage})
	return &expiry{respond: answer, expired: map[string]int{}}, err
}

func expiryKey(call *proxy.Call) string { return call.Request().Replica + " " + call.Out.URL.Path }

// close closes a stream. It returns false if as many streams as most says were already
// closed.
func (x *expiry) close(key string, most *int32) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if most != nil && x.closed >= int(*most) {
		return false
	}
	x.closed++
	x.expired[key]++
	return true
}

// wants returns true for watches, and for other requests that name a version, if a stream
// was closed for them.
func (x *expiry) wants(call *proxy.Call) bool {
	if call.Request().Verb != history.VerbWatch && !namesVersion(call.Out.URL.Query()) {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	key := expiryKey(call)
	if x.expired[key] == 0 {
		return false
	}
	x.expired[key]--
	return true
}

func (x *expiry) act(h *hit, next proxy.Next) (*http.Response, error) {
	if !namesVersion(h.Out.URL.Query()) {
		return next(h.Out)
	}
	return x.respond.act(h, next)
}

// namesVersion says whether a request asks for objects at a version, which may be too old.
func namesVersion(query url.Values) bool {
	version := query.Get("resourceVersion")
	return version != "" && version != "0" || query.Get("continue") != ""
}

// expiring is the effect of an expiry on one stream.
type expiring struct {
	inert
	expiry *expiry
	key    string
	most   *int32
	asked  bool
}

func (x *expiring) turn(s *streamBody) move {
	if s.sent.initial || x.asked {
		return move{}
	}
	x.asked = true
	return move{end: x.expiry.close(x.key, x.most)}
}
