package explore

import (
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Write is one write of the controller, named by what it is.
type Write struct {
	Verb, Resource, Subresource, Name string
	// Occurrence counts the requests that are named like it, and Effective those of them
	// that had an effect, both from 1.
	Occurrence, Effective int32
}

// InWords names a write.
func (w Write) InWords() string {
	text := w.Verb + " " + w.kind() + " " + w.Name
	if w.Occurrence > 1 {
		text += fmt.Sprintf(" (number %d)", w.Occurrence)
	}
	return text
}

// kind is the kind of object that is written.
func (w Write) kind() string {
	if w.Subresource == "" {
		return w.Resource
	}
	return w.Resource + "/" + w.Subresource
}

// work returns the writes after a record that had an effect, in order. Writes of Leases
// and Events are not among them. An object has the name that is the same in each run:
// that of its mask, if the controller makes up its name.
func work(requests []history.Request, after int64, masks []v1alpha1.TrialMask) []Write {
	var writes []Write
	matched, effective := map[Write]int32{}, map[Write]int32{}
	names := history.GeneratedIn(requests)
	for _, q := range requests {
		if q.Seq <= after || !q.IsWrite() || !history.Matches(v1alpha1.RequestMatch{}, q) || q.Bystander {
			continue
		}
		w := Write{Verb: q.Verb, Resource: q.GroupResource().String(), Subresource: q.Subresource, Name: nameIn(masks, q.GroupResource().String(), names.Name(q))}
		matched[w]++
		if q.Effect != history.EffectEffective {
			continue
		}
		effective[w]++
		numbered := w
		numbered.Occurrence, numbered.Effective = matched[w], effective[w]
		writes = append(writes, numbered)
	}
	return writes
}

// at returns the point of a write.
func (w Write) at() v1alpha1.TrialPoint {
	point := v1alpha1.TrialPoint{Verb: w.Verb, Resource: w.Resource, Subresource: w.Subresource, Name: w.Name, Occurrence: w.Occurrence}
	if w.Subresource == "" {
		point.Subresource = "-"
	}
	return point
}

// disturbing is a way to disturb a write.
type disturbing struct {
	sort, how string
	fault     v1alpha1.FaultAction
	terminate bool
	// verbs that it can be done to; all if there are none.
	verbs []string
}

// slow is how long a slow answer takes, in milliseconds.
const slow = 3000

// disturbings are all ways to disturb a write, except with other operations meanwhile.
func disturbings() []disturbing {
	answer := func(code int32, reason metav1.StatusReason) v1alpha1.FaultAction {
		return v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: code, Reason: string(reason)}}
	}
	throttled := answer(http.StatusTooManyRequests, "")
	throttled.Respond.RetryAfterSeconds = ptr.To[int32](1)
	return []disturbing{
		{sort: "crash-after", how: "the controller is killed just after it", fault: v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashAfter}}},
		{sort: "lost-answer", how: "it is carried out, and its answer is lost", fault: v1alpha1.FaultAction{LoseResponse: &v1alpha1.Empty{}}},
		{sort: "500", how: "it is answered with 500 once", fault: answer(http.StatusInternalServerError, "")},
		{sort: "conflict", how: "it is answered with 409 Conflict once", fault: answer(http.StatusConflict, metav1.StatusReasonConflict)},
		{sort: "crash-before", how: "the controller is killed just before it", fault: v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashBefore}}},
		{sort: "already-exists", how: "it is answered with 409 AlreadyExists once", fault: answer(http.StatusConflict, metav1.StatusReasonAlreadyExists), verbs: []string{history.VerbCreate}},
		{sort: "403", how: "it is answered with 403 once", fault: answer(http.StatusForbidden, "")},
		{sort: "422", how: "it is answered with 422 once", fault: answer(http.StatusUnprocessableEntity, "")},
		{sort: "429", how: "it is answered with 429 once", fault: throttled},
		{sort: "504", how: "it is answered with 504 once", fault: answer(http.StatusGatewayTimeout, "")},
		{sort: "cut", how: "its connection is cut before it is carried out", fault: v1alpha1.FaultAction{Disconnect: &v1alpha1.Empty{}}},
		{sort: "slow", how: "its answer takes 3 s", fault: v1alpha1.FaultAction{DelayMs: ptr.To[int64](slow)}},
		{sort: "late-answer", how: "it is carried out, and its answer arrives when all else is quiet", fault: v1alpha1.FaultAction{HoldAnswer: &v1alpha1.Empty{}}},
		{sort: "terminate", how: "the controller is told to end (SIGTERM) while it is open", terminate: true},
	}
}

// plans returns all plans of a recording that differ, without those with other
// operations meanwhile. Killing the controller before a write is the same as killing it
// after the write before, except for the first.
func (r *Recording) plans() []*Plan {
	var all []*Plan
	for n, w := range r.Writes {
		for _, way := range disturbings() {
			if len(way.verbs) > 0 && !slices.Contains(way.verbs, w.Verb) || way.sort == "crash-before" && n > 0 {
				continue
			}
			plan := r.plan(way.sort, w.kind(), "at "+w.InWords(), way.how)
			plan.Disturb = &v1alpha1.TrialDisturbance{At: w.at()}
			if way.terminate {
				plan.Disturb.Terminate = &v1alpha1.Empty{}
			} else {
				plan.Disturb.Fault = way.fault.DeepCopy()
			}
			if way.sort == "crash-after" || way.fault.HoldAnswer != nil { // these count writes that have an effect
				plan.Disturb.At.Occurrence = w.Effective
			}
			all = append(all, plan)
		}
	}
	return slices.Concat(all, r.lastingPlans(), r.watchPlans())
}
