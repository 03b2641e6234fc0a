package explore

import (
	"net/http"
	"net/url"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Read is a read that the controller sends to the API server because it does not use its
// cache. The list at the start of a watch is left out.
type Read struct {
	Verb, Resource, Subresource, Name string
}

// InWords names a read.
func (r Read) InWords() string {
	return Write{Verb: r.Verb, Resource: r.Resource, Subresource: r.Subresource, Name: r.Name}.InWords()
}

// reads returns the live reads after a record, each once, in order.
func reads(requests []history.Request, after int64) []Read {
	var all []Read
	names := history.GeneratedIn(requests)
	for _, q := range requests {
		if q.Seq <= after || !isLive(q, requests) || !history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		read := Read{Verb: q.Verb, Resource: q.GroupResource().String(), Subresource: q.Subresource, Name: names.Name(q)}
		if !slices.Contains(all, read) {
			all = append(all, read)
		}
	}
	return all
}

// isLive says whether a request is a live read. A list that begins a watch names a
// resourceVersion, and the watch comes after it.
func isLive(q history.Request, requests []history.Request) bool {
	switch {
	case q.Verb == history.VerbGet:
		return q.Resource != ""
	case q.Verb != history.VerbList || q.StreamingList:
		return false
	}
	at, err := url.ParseRequestURI(q.Path)
	return err == nil && !(at.Query().Has("resourceVersion") && slices.ContainsFunc(requests, func(watch history.Request) bool {
		return watch.Verb == history.VerbWatch && watch.Seq > q.Seq && watch.Replica == q.Replica && watch.GroupResource() == q.GroupResource()
	}))
}

// lasting is an error that comes for a while, until the controller is quiet.
type lasting struct {
	sort, how string
	code      int32
	reason    metav1.StatusReason
}

// fault answers all requests that match with the error.
func (l lasting) fault() *v1alpha1.FaultAction {
	return &v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: l.code, Reason: string(l.reason)}}
}

// lastingPlan returns a plan that answers requests with the error.
func (r *Recording) lastingPlan(l lasting, kind, point string, at v1alpha1.TrialPoint) *Plan {
	plan := r.plan(l.sort, kind, point, l.how)
	plan.Disturb = &v1alpha1.TrialDisturbance{At: at, Fault: l.fault(), Lasting: true}
	return plan
}

// lastingPlans returns plans that refuse one kind of request for a while: all writes that
// differ only in their number, or a live read. After a single error, the event of another
// write may start a new attempt. After an error that lasts, only a retry helps.
func (r *Recording) lastingPlans() []*Plan {
	var all []*Plan
	for _, w := range r.Writes {
		first := w
		first.Occurrence = 1
		at := w.at()
		at.Occurrence = 0
		for _, l := range []lasting{
			{"500-lasting", "it is answered with 500 for a while", http.StatusInternalServerError, ""},
			{"conflict-lasting", "it is answered with 409 Conflict for a while", http.StatusConflict, metav1.StatusReasonConflict},
			{"403-lasting", "it is answered with 403 for a while", http.StatusForbidden, ""},
		} {
			all = append(all, r.lastingPlan(l, w.kind(), "at "+first.InWords(), at))
		}
	}
	return append(all, r.readPlans(r.Reads)...)
}

// readPlans returns plans that refuse live reads for a while.
func (r *Recording) readPlans(reads []Read) []*Plan {
	var all []*Plan
	for _, read := range reads {
		at := v1alpha1.TrialPoint{Verb: read.Verb, Resource: read.Resource, Subresource: read.Subresource, Name: read.Name}
		if at.Subresource == "" {
			at.Subresource = "-"
		}
		for _, l := range []lasting{
			{"read-500", "it is answered with 500 for a while", http.StatusInternalServerError, ""},
			{"read-403", "it is answered with 403 for a while", http.StatusForbidden, ""},
		} {
			all = append(all, r.lastingPlan(l, read.Resource, "at "+read.InWords(), at))
		}
	}
	return all
}
