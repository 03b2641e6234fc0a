package history

import (
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Slowest returns the request of any subject whose answer took longest. Only requests
// count that began at the time since or later, and before the time until. Watches do not
// count, and neither do requests that a Fault hit. If an API server takes seconds to
// answer, it gets too little CPU time, and so do the subjects. Slowest returns false if
// there was no request.
func (r *Recorder) Slowest(since, until time.Time) (slowest Request, found bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for name := range r.scenarios {
		for _, request := range r.since(Query{Scenario: name, Since: since}) {
			if !answered(request) || !request.Time.Before(until) {
				continue
			}
			if !found || request.Duration.Duration > slowest.Duration.Duration {
				slowest, found = *request, true
			}
		}
	}
	return slowest, found
}

// Waited returns for how long, between two times, at least one of the requests was waiting
// for its answer. The requests are in order. Watches do not count.
func Waited(requests []Request, from, to time.Time) time.Duration {
	var sum time.Duration
	covered := from // requests that overlap count once
	for _, r := range requests {
		if r.Verb == VerbWatch {
			continue
		}
		begin, end := r.Time, to
		if r.Finished && r.Time.Add(r.Duration.Duration).Before(to) {
			end = r.Time.Add(r.Duration.Duration)
		}
		if begin.Before(covered) {
			begin = covered
		}
		if end.After(begin) {
			sum += end.Sub(begin)
			covered = end
		}
	}
	return sum
}

// Failing returns for how long the subjects of a scenario may have been failing: from the
// first request to the time began, or to the end of the last request that began before the
// time until and that a Fault hit, if that is later. It also returns how many requests had
// failed by then for the object for which most had. A request is for an object if its name
// contains the name of the object of the primary resource. One that is for none of them
// counts for each.
func (r *Recorder) Failing(scenario string, primary schema.GroupResource, began, until time.Time) (long time.Duration, times int) {
	requests := r.Requests(Query{Scenario: scenario, Until: until, Everything: true})
	if len(requests) == 0 {
		return 0, 0
	}
	last := began
	objects := map[string]int{}
	for _, request := range requests {
		if end := request.Time.Add(request.Duration.Duration); request.Fault != "" && end.After(last) {
			last = end
		}
		if request.GroupResource() == primary && request.Name != "" {
			objects[request.Name] = 0
		}
	}
	others := 0
	made := map[string]bool{} // the objects that the subjects created, and have not deleted since
	for _, request := range requests {
		if request.Effect == EffectEffective {
			switch request.Verb {
			case VerbCreate:
				made[request.object()] = true
			case VerbDelete:
				delete(made, request.object())
			}
		}
		if !request.Failed() && !request.Dropped() || request.Time.After(last) || request.foundNothing() ||
			request.foundExisting() && made[request.object()] {
			continue
		}
		of := ""
		for name := range objects {
			if strings.Contains(request.Name, name) && len(name) > len(of) {
				of = name
			}
		}
		if of == "" {
			others++
		} else {
			objects[of]++
		}
	}
	for _, count := range objects {
		times = max(times, count)
	}
	return last.Sub(requests[0].Time), times + others
}

// FailedByChance says whether a request failed that could have succeeded, and can the next
// time: it was in conflict with another write, or the API server could not serve it. No Fault
// did that, and no rule of the cluster.
func (r Request) FailedByChance() bool {
	if r.Fault != "" || !r.Finished {
		return false
	}
	return r.Dropped() || r.Reason == string(metav1.StatusReasonConflict) || r.Code == http.StatusTooManyRequests || r.Code >= http.StatusInternalServerError
}

// foundNothing says whether a read or a delete was answered with 404, and no Fault did that.
// Many controllers ask for what may be missing, and delete what must not be there: their
// reconcile does not fail.
func (r Request) foundNothing() bool {
	return r.Code == http.StatusNotFound && (!r.IsWrite() || r.Verb == VerbDelete) && r.Fault == ""
}

// foundExisting says whether a create was answered with AlreadyExists, and no Fault did that.
// Some controllers create their child in each reconcile, and take this answer for success.
// One whose cache is old tries again at the event of the child, not after a pause.
func (r Request) foundExisting() bool {
	return r.Verb == VerbCreate && r.Reason == string(metav1.StatusReasonAlreadyExists) && r.Fault == ""
}

// object names the object of a request among those of all kinds.
func (r Request) object() string {
	return strings.Join([]string{r.Group, r.Resource, r.Namespace, r.Name}, "/")
}

// stretching limits how much longer a time limit may become because waiting does not
// count. Beyond that the API server is not slow, but the subject asks too much.
const stretching = 5

// Stretched returns a limit, which began at the time from, plus waiting time: the time
// until now in which at least one of the requests was waiting for its answer. It returns
// at most five times the limit.
func Stretched(limit time.Duration, requests []Request, from, now time.Time) time.Duration {
	return min(limit+Waited(requests, from, now), stretching*limit)
}

// answered says whether the API server itself answered a request that is not a watch.
func answered(r *Request) bool {
	return r.Finished && r.Code != 0 && r.Code < http.StatusInternalServerError && r.Verb != VerbWatch && r.Fault == ""
}
