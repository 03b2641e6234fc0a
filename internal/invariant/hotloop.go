package invariant

import (
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// hotLoop: no request is repeated without a pause.
//
// Within the window, a sound controller may send the same request about one object as
// often as the sum of
//   - 11 attempts at what keeps failing, with the client library's back-off of 5 ms
//     that doubles, with 5 requests for each attempt where it retries conflicts at
//     once;
//   - one request for each of the 100 changes that the fastest scenario makes to one
//     object in that time.
//
// The bound is above that sum, and far below what a loop without a pause does. A client
// that limits its own rate to less than the bound hides its loops from this rule;
// RT-002 counts attempts.
type hotLoop struct{}

const (
	window        = 5 * time.Second
	mostIdentical = 200
)

func (hotLoop) Name() string { return "HotLoop" }

// identical requests have this in common.
type identical struct {
	kind            kind
	namespace, name string
}

func (rule hotLoop) Broken(r *Record) []v1alpha1.Violation {
	proofs := r.proofs()
	repeated := map[identical][]int{} // by place in Requests
	for i, request := range r.Requests {
		key := identical{alike(request), request.Namespace, request.Name}
		places := append(repeated[key], i)
		repeated[key] = places
		if len(places) <= mostIdentical {
			continue
		}
		first := r.Requests[places[len(places)-1-mostIdentical]]
		if took := request.Time.Sub(first.Time); took <= window {
			proofs.add(kind{key.kind.about, key.kind.of + key.namespace + key.name}, first.Seq, "%s repeated %s %d times in %s",
				request.Replica, told(request), mostIdentical+1, took.Round(slack/10))
		}
	}
	return proofs.violations(rule)
}
