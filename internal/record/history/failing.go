package history

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Failing says how long the subjects of a scenario may have been failing at a moment, and how
// many attempts in a row had failed by then. The moment is the time began. If a Fault hit a
// request that was sent before the time until, and that ended after began, the moment is the
// end of the last such request. The attempts are counted for each object since the last
// success for it, and the largest number is returned.
//
// A new attempt begins when a request that failed is sent again, and fails again. A request
// is for an object if its name contains the name of that object of the primary resource.
// Requests for none of these objects count for each of them. Leases, Events and reviews do
// not count. A subject may also fail without a failed request, for example because an object
// is missing in its cache. So if no request failed, it may have been failing since its first
// request.
func (r *Recorder) Failing(scenario string, primary schema.GroupResource, began, until time.Time) (long time.Duration, times int) {
	requests := r.Requests(Query{Scenario: scenario, Until: until, Everything: true})
	if len(requests) == 0 {
		return 0, 0
	}
	last := began
	objects := map[string]*failures{}
	for _, request := range requests {
		if end := request.End(); request.Fault != "" && end.After(last) {
			last = end
		}
		if request.GroupResource() == primary && request.Name != "" {
			objects[request.Name] = &failures{}
		}
	}
	others := &failures{}
	made := map[string]bool{} // the objects that the subjects created, and have not deleted since
	for _, request := range requests {
		if request.Time.After(last) {
			break
		}
		if isHousekeeping(request) {
			continue // It is not part of a reconcile that is tried again.
		}
		noteMade(made, request)
		of, longest, called := others, "", request.named()
		for name, known := range objects {
			if strings.Contains(called, name) && len(name) > len(longest) {
				of, longest = known, name
			}
		}
		of.add(request, request.hinders() && !(request.foundExisting() && made[request.object()]))
	}
	since := requests[0].Time
	worst := &failures{}
	for _, of := range objects {
		if of.lastingAt(last); of.times > worst.times {
			worst = of
		}
	}
	others.lastingAt(last)
	switch {
	case worst.times > 0:
		since = worst.since
	case others.times > 0:
		since = others.since
	}
	return last.Sub(since), worst.times + others.times
}

// LastFailure returns when the last request of a scenario's subjects failed. It is the zero
// time if none has. Leases, Events and reviews do not count.
func (r *Recorder) LastFailure(scenario string) time.Time {
	var last time.Time
	for _, request := range r.Requests(Query{Scenario: scenario}) {
		if request.hinders() && request.End().After(last) {
			last = request.End()
		}
	}
	return last
}

// IsOwing says whether the subjects of a scenario may still have something to try again, of
// what they sent after a record: see [Recorder.Owed].
func (r *Recorder) IsOwing(scenario string, after int64) bool {
	return len(r.Owed(scenario, after)) > 0
}

// Owed is a request that failed, or was left without an answer, or that a Fault hit, and none
// for the same object has succeeded since.
type Owed struct {
	Request
	// Refused is how many requests for the object, this one included, the API server has
	// refused in a row for a reason that does not pass by itself.
	Refused int
}

// Owed returns what the subjects of a scenario may still have to try again, of what they sent
// after a record: the last request for each object. A replica that was started since owes
// nothing, because a new process has no queue of the one before. Leases, Events and reviews
// do not count, nor does the creation of an object that the subjects have created already.
func (r *Recorder) Owed(scenario string, after int64) []Owed {
	started := map[string]int64{}
	for _, event := range r.Events(scenario) {
		if event.Reason == ReplicaStarted {
			started[event.Replica] = event.Seq
		}
	}
	open, made := map[string]Owed{}, map[string]bool{}
	for _, request := range r.Requests(Query{Scenario: scenario}) {
		of := request.target()
		noteMade(made, request)
		switch {
		case request.Seq <= after || request.Seq < started[request.Replica]:
		case request.foundExisting() && made[request.object()]:
		case request.hinders() || request.Fault != "" || !request.Finished && request.Verb != VerbWatch:
			refused := 0
			if request.Fault == "" && request.Finished && !request.FailedByChance() {
				refused = open[of].Refused + 1
			}
			open[of] = Owed{request, refused}
		case request.Succeeded():
			delete(open, of)
		}
	}
	return slices.SortedFunc(maps.Values(open), func(a, b Owed) int { return cmp.Compare(a.Seq, b.Seq) })
}

// noteMade notes which objects the subjects have created, and not deleted since.
func noteMade(made map[string]bool, r Request) {
	switch {
	case r.Effect != EffectEffective:
	case r.Verb == VerbCreate:
		made[r.object()] = true
	case r.Verb == VerbDelete:
		delete(made, r.object())
	}
}

// hinders says whether a request failed in a way that may end a reconcile.
func (r Request) hinders() bool {
	return (r.Failed() || r.Dropped()) && !r.foundNothing()
}

// resets is the time after which a success counts: if no request for the object has failed
// since, a whole reconcile of it has probably succeeded, and the next failure is the first
// one again (requirement RT-010).
const resets = 2 * time.Second

// failures are the attempts to serve one object that failed since the last success for it.
type failures struct {
	since time.Time // the first of them
	times int
	// attempt has what failed in the last attempt. open has what failed in any attempt, and has
	// not succeeded since.
	attempt, open map[string]bool
	success       time.Time // the last success of something that had failed
}

// add counts a request.
func (f *failures) add(r Request, failed bool) {
	of := r.target()
	switch {
	case failed:
		if f.lastingAt(r.Time); f.times == 0 {
			*f = failures{since: r.Time, open: map[string]bool{}}
		}
		if f.attempt == nil || f.attempt[of] {
			f.attempt = map[string]bool{}
			f.times++
		}
		f.attempt[of] = true
		if r.conflicts() {
			f.success = r.End() // The next attempt may find nothing to write.
		} else {
			f.open[of] = true
		}
	case r.Succeeded():
		if f.attempt[of] {
			f.attempt = nil
		}
		if f.open[of] {
			delete(f.open, of)
			f.success = r.End()
		}
	}
}

// lastingAt forgets the failures if they were over at the time now: everything that failed
// has succeeded since, and that is some time ago.
func (f *failures) lastingAt(now time.Time) {
	if f.times > 0 && len(f.open) == 0 && now.Sub(f.success) > resets {
		f.times = 0
	}
}

// FailedByChance says whether a request failed for a reason that passes: it was in conflict
// with another write, or the API server could not serve it. What a Fault did, or a rule of the
// cluster, is another reason.
func (r Request) FailedByChance() bool {
	if r.Fault != "" || !r.Finished {
		return false
	}
	return r.Dropped() || r.conflicts() || r.Code == http.StatusTooManyRequests || r.Code >= http.StatusInternalServerError
}

// conflicts says whether a request was in conflict with another write. A Fault can give the
// same answer without a conflict.
func (r Request) conflicts() bool {
	return r.Reason == string(metav1.StatusReasonConflict) && r.Fault == ""
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

// target is what a request must succeed with, if it has failed: the object, or one of its
// subresources. A create whose name the API server makes up is tried again with the same
// generateName, and only what succeeds has a name.
func (r Request) target() string {
	if r.GenerateName != "" {
		r.Name = GeneratedName(r.GenerateName)
	}
	return r.object() + "/" + r.Subresource
}

// object identifies the object of a request: by group, resource, namespace and name.
func (r Request) object() string {
	return strings.Join([]string{r.Group, r.Resource, r.Namespace, r.Name}, "/")
}
