package invariant

import (
	"net/http"
	"regexp"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
)

// forbidden: no request for the contract's resources is refused because the controller
// lacks a permission. If Events are claimed, the same holds for them.
//
// A new permission may not have reached the authorizer yet. So a refusal just after the
// Subject's start does not count if it is not repeated.
type forbidden struct{}

// settling is how long after a Subject's start its permissions may take to reach the
// authorizer.
const settling = 5 * time.Second

// unauthorised matches the message of the API server's authorizer. A refusal by
// admission has the same code and reason, but another message.
var unauthorised = regexp.MustCompile(`User ".*" cannot \S+ (resource|path) "`)

func (forbidden) Name() string { return v1alpha1.RuleForbidden }

func (rule forbidden) Broken(r *Record) []v1alpha1.Violation {
	requests := slices.Concat(r.Requests, r.Told)
	accepted := map[kind]int64{} // the number of the last request of each kind that was not refused
	for _, request := range requests {
		if request.Code != 0 && request.Code != http.StatusForbidden {
			accepted[alike(request)] = request.Seq
		}
	}
	proofs := r.proofs()
	for _, request := range requests {
		if !refused(request) || r.starting(request) && accepted[alike(request)] > request.Seq {
			continue
		}
		proofs.add(alike(request), request.Seq, "%s has no right to %s: %s", request.Replica, told(request), request.Message)
	}
	return proofs.violations(rule)
}

// refused says whether the authorizer refused a request, not a Fault and not admission.
func refused(request *history.Request) bool {
	return request.Code == http.StatusForbidden && request.Fault == "" && unauthorised.MatchString(request.Message)
}

// starting says whether the Subject was started shortly before.
func (r *Record) starting(request *history.Request) bool {
	for _, event := range r.Events {
		if event.Reason == history.SubjectStarted && event.Seq < request.Seq && request.Time.Sub(event.Time) < settling {
			return true
		}
	}
	return false
}
