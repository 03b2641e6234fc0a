package invariant

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// forbidden: no request for the contract's resources is refused because the controller
// lacks a permission. If Events are claimed, the same holds for them.
//
// The same holds for a list or a watch of anything else, if the controller goes on asking
// for it and never gets it: it needs it then. A resource that it only tries is optional.
//
// A new permission may not have reached the authorizer yet. So a refusal just after the
// Subject's start does not count if it is not repeated.
type forbidden struct{}

// settling is how long after a Subject's start its permissions may take to reach the
// authorizer.
const settling = 5 * time.Second

// A list or watch is needed if it is asked for this often, over this time.
const (
	insistent = 5
	insisting = 10 * time.Second
)

// unauthorised matches the message of the API server's authorizer. A refusal by
// admission has the same code and reason, but another message.
var unauthorised = regexp.MustCompile(`User ".*" cannot \S+ (resource|path) "`)

func (forbidden) Name() string { return v1alpha1.RuleForbidden }

func (forbidden) Must() string {
	return "The roles of the controller allow what it needs."
}

func (forbidden) Hint() string {
	return "The message of the refusal names the verb and the resource that a role lacks."
}

func (rule forbidden) Broken(r *View) []v1alpha1.Violation {
	requests := slices.Concat(r.Requests, r.Told)
	accepted := map[kind]int64{} // the number of the last request of each kind that was not refused
	for _, request := range requests {
		if request.Code != 0 && request.Code != http.StatusForbidden {
			accepted[alike(request)] = request.Seq
		}
	}
	proofs := r.proofs()
	for _, request := range requests {
		if !Unauthorised(request) || r.starting(request) && accepted[alike(request)] > request.Seq {
			continue
		}
		proofs.add(alike(request), request.Seq, "%s has no right to %s: %s", request.Replica, asking(request), request.Message)
	}
	r.addNeeded(proofs)
	return proofs.violations(rule)
}

// addNeeded adds the lists and watches of resources outside the contract that the
// controller goes on asking for and never gets.
func (r *View) addNeeded(proofs *proofs) {
	asked := map[kind][]*history.Request{}
	var order []kind
	for _, request := range r.All {
		reads := request.Verb == history.VerbList || request.Verb == history.VerbWatch
		if !reads || request.Code == 0 || request.Fault != "" || r.Contract.covers(request) {
			continue
		}
		// The effects of such a refusal are not known, so this is told in other words than
		// that of a request for the contract's resources.
		which := kind{request.GroupResource().String() + " outside the contract, " + request.Verb, request.Replica}
		if asked[which] == nil {
			order = append(order, which)
		}
		asked[which] = append(asked[which], request)
	}
	for _, which := range order {
		requests := asked[which]
		first, last := requests[0], requests[len(requests)-1]
		granted := func(request *history.Request) bool { return !Unauthorised(request) }
		if len(requests) < insistent || last.Time.Sub(first.Time) < insisting || slices.ContainsFunc(requests, granted) {
			continue
		}
		for _, request := range requests {
			proofs.add(which, request.Seq, "%s has no right to %s, and goes on asking: %s", request.Replica, asking(request), request.Message)
		}
	}
}

// Unauthorised says whether the authorizer refused a request, not a Fault and not admission.
func Unauthorised(request *history.Request) bool {
	return request.Code == http.StatusForbidden && request.Fault == "" && unauthorised.MatchString(request.Message)
}

// starting says whether the Subject was started shortly before.
func (r *View) starting(request *history.Request) bool {
	for _, event := range r.Events {
		if event.Reason == history.SubjectStarted && event.Seq < request.Seq && request.Time.Sub(event.Time) < settling {
			return true
		}
	}
	return false
}

// asking says what a request asks for: create events.events.k8s.io demo.
func asking(request *history.Request) string { return strings.Replace(told(request), " of ", " ", 1) }
