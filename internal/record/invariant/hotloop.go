package invariant

import (
	"net/url"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// hotLoop: no request is repeated without a pause. It does not matter what the request is
// for: a child that the profile does not map, a read that bypasses the cache, and
// discovery count too.
//
// Within the window, a sound controller may send the same request about one object as
// often as the sum of
//   - 11 attempts at what keeps failing, with the client library's backoff of 5 ms that
//     doubles, and 5 requests for each attempt if it retries conflicts at once;
//   - one request for each of the 100 changes that the fastest scenario makes to one
//     object in that time.
//
// The limit is above that sum, and far below what a loop without a pause does. For two
// sorts of requests this many are allowed for each object that the controller knows. One
// is a request without a name, such as the list that a controller without a cache makes
// for each of its objects. The other is a read of an object outside the contract that
// bypasses the cache, such as a namespace or a class: all objects of the controller may
// need the same one. If a client limits its own rate to less than the limit, this rule
// does not see its loops; RT-002 counts attempts.
type hotLoop struct{}

const (
	window        = 5 * time.Second
	mostIdentical = 200
)

func (hotLoop) Name() string { return v1alpha1.RuleHotLoop }

func (hotLoop) Must() string {
	return "The controller does not repeat a request without pauses."
}

func (hotLoop) Hint() string {
	return "Return the error, or ask to be called again after a pause that grows, instead of trying " +
		"again at once."
}

// identical is what identical requests have in common.
type identical struct {
	kind            kind
	namespace, name string
	// selector of labels and fields, and the page of a list, if the request has no name. It
	// is the path if the request is about no object.
	selector string
}

func identityOf(request *history.Request) identical {
	id := identical{kind: alike(request), namespace: request.Namespace, name: request.Name}
	if request.Verb == history.VerbOther {
		id.selector = request.Path
		return id
	}
	if asked, err := url.Parse(request.Path); err == nil && request.Name == "" {
		query := asked.Query()
		id.selector = query.Get("labelSelector") + "&" + query.Get("fieldSelector") + "&" + query.Get("continue")
	}
	return id
}

// object is an object that requests name.
type object struct{ kind, namespace, name string }

// census counts, by kind, the objects that requests have named.
type census struct {
	named map[object]bool
	count map[string]int
	most  int // the largest count of one kind
}

func (c *census) add(request *history.Request) {
	one := object{request.GroupResource().String(), request.Namespace, request.Name}
	if one.name == "" || c.named[one] {
		return
	}
	c.named[one] = true
	c.count[one.kind]++
	c.most = max(c.most, c.count[one.kind])
}

func (rule hotLoop) Broken(r *View) []v1alpha1.Violation {
	proofs := r.proofs()
	repeated := map[identical][]int{} // indexes in All
	known := census{named: map[object]bool{}, count: map[string]int{}}
	for i, request := range r.All {
		known.add(request)
		key, most := identityOf(request), mostIdentical
		shared := request.Verb == history.VerbGet && !r.Contract.covers(request)
		if request.Name == "" && request.Verb != history.VerbOther || shared {
			most *= max(known.most, 1)
		}
		places := append(repeated[key], i)
		repeated[key] = places
		if len(places) <= most {
			continue
		}
		first := r.All[places[len(places)-1-most]]
		if took := request.Time.Sub(first.Time); took <= window {
			whose := kind{key.kind.about, key.kind.of + key.namespace + key.name + key.selector}
			proofs.add(whose, first.Seq, "%s repeated %s %d times in %s",
				request.Replica, asked(request), most+1, took.Round(slack/10))
		}
	}
	return proofs.violations(rule)
}

// asked says what a request was for, even if it is about no object.
func asked(request *history.Request) string {
	if request.Verb == history.VerbOther {
		return request.Method + " " + request.Path
	}
	return told(request)
}
