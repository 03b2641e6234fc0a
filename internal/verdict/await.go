package verdict

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// RetryGuessed is in the reason of each result that is inconclusive because the profile only
// guesses when the controller tries again.
const RetryGuessed = "claims.times.retry is guessed"

// undue says for which attempt a step waited without success, if nobody knows when that attempt is
// due. failed says where the scenario failed. It returns "" if the step waited for
// something else.
func (c *Case) undue(failure chainsaw.Failure, failed string) string {
	if !c.Contract.RetriesGuessed {
		return ""
	}
	what, waited := c.awaitsAttempt(failure)
	if !waited {
		return ""
	}
	return fmt.Sprintf("nobody knows when it tries again%s, as %s; the scenario failed %s", what, RetryGuessed, failed)
}

// unreached says which Pod or Service the subject could not reach, if that may be why a step
// failed: the step waited for a state, and the subject may have waited for an answer instead; or
// the step counted reads, and an attempt that gets no answer is repeated, and reads each time; or
// it compared what the status told at two moments, which depends on the last attempt.
// failed says where the scenario failed. It returns "" if the step failed for another reason,
// such as what the controller goes on writing, or what it took away.
func (c *Case) unreached(failure chainsaw.Failure, failed string) string {
	removed := func(s v1alpha1.Symptom) bool {
		return s.State == v1alpha1.Removed || s.State == v1alpha1.Written && below(s.Path, "metadata")
	}
	if len(c.Unreached) == 0 || outgrown(failure) || len(c.neverQuiet(failure)) > 0 || slices.ContainsFunc(c.symptoms(failure), removed) {
		return ""
	}
	waited := !failure.Proved && (!accuses(failure) || c.awaitsState(failure, c.occasion()))
	if !waited && !c.tooManyReads(failure) && !c.toldOtherwise(failure) {
		return ""
	}
	what := c.Unreached[0]
	if more := len(c.Unreached) - 1; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the controller tried to reach %s, and nothing answered: Pods do not really run on the local control plane, "+
		"so judge this one on a cluster (--kubeconfig); the scenario failed %s", what, failed)
}

// tooManyReads tells whether a step found more requests than are allowed, and all that it lists are
// reads.
func (c *Case) tooManyReads(failure chainsaw.Failure) bool {
	requests := c.countedIn(failure.Message)
	return failure.Of.Kind == "Traffic" && strings.Contains(failure.Message, "expected at most") && len(requests) > 0 &&
		!slices.ContainsFunc(requests, func(r history.Request) bool { return r.IsWrite() })
}

// toldOtherwise tells whether a step compared two pictures, and only the status of the subject's own
// objects differs.
func (c *Case) toldOtherwise(failure chainsaw.Failure) bool {
	wrongs := c.wrongs(failure)
	return failure.Of.Kind == "Snapshot" && len(wrongs) > 0 && !slices.ContainsFunc(wrongs, func(w wrong) bool {
		return c.role(w.resource) != v1alpha1.RolePrimary || !below(w.path, "status")
	})
}

// generations matches the generation that a step found, and the one that it waited for.
var generations = regexp.MustCompile(`metadata\.generation: Invalid value: (\d+): Expected value: (\d+)`)

// outgrown tells whether a step waited for a generation that is over: it only grows, so nothing
// that the controller waits for brings it back.
func outgrown(failure chainsaw.Failure) bool {
	m := generations.FindStringSubmatch(failure.Message)
	if m == nil {
		return false
	}
	found, _ := strconv.Atoi(m[1])
	expected, _ := strconv.Atoi(m[2])
	return found > expected
}

// awaitsAttempt says whether a step waited without success for another attempt at a
// write that had failed, and at which one. There are three such cases: the last attempt
// at the missing write failed; the scenario let any request fail, and no such request
// has succeeded since, so all work on the object may wait; or the time limit of the
// step counts a pause between attempts.
func (c *Case) awaitsAttempt(failure chainsaw.Failure) (what string, waited bool) {
	symptoms := c.symptoms(failure)
	insists := func(s v1alpha1.Symptom) bool { return c.insists(failure, s) }
	if slices.ContainsFunc(symptoms, c.forbidden) || slices.ContainsFunc(symptoms, insists) {
		return "", false
	}
	if slices.ContainsFunc(symptoms, func(s v1alpha1.Symptom) bool { return lacks(s) && s.AfterFailure }) {
		return " what failed", true
	}
	if failure.Proved || outgrown(failure) {
		return "", false
	}
	if last := c.untried(); last != nil && c.awaitsState(failure, last.Seq) {
		return fmt.Sprintf(" what failed (%s: %d)", last.InWords(), last.Code), true
	}
	return "", failure.Of.AwaitsAttempt && c.awaitsState(failure, c.occasion())
}

// forbidden says whether a missing write was last refused by a policy that stands for a rule of
// the cluster (RB-006). Each further attempt would be refused, too, so it does not matter when the
// next one is due.
func (c *Case) forbidden(s v1alpha1.Symptom) bool {
	if !lacks(s) || !s.AfterFailure {
		return false
	}
	failed := c.failedAt()
	for n := range slices.Backward(c.Account.Requests) {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed || !r.IsWrite() || r.GroupResource().String() != s.Resource {
			continue
		}
		return r.Failed() && policyOf(r) != "" && !c.ordered(r)
	}
	return false
}

// awaitsState says whether a step waited for a state that did not come, and the controller has
// not spoilt that state itself since the record with this number.
func (c *Case) awaitsState(failure chainsaw.Failure, since int64) bool {
	wrongs := c.wrongs(failure)
	for _, w := range wrongs {
		switch w.what {
		case missing, present, differs, foreign:
		default:
			return false // what it did must never be done
		}
		spoilt := func(r history.Request) bool {
			return r.Seq > since && done(r) && (r.Verb == history.VerbDelete || w.what != missing && changes(&r, w.path) && !nearer(&r, w.path, failure.Message))
		}
		if w.at != "" || slices.ContainsFunc(c.writes(w), spoilt) && w.what != present {
			return false
		}
	}
	if len(wrongs) > 0 {
		return true
	}
	switch failure.Of.Kind {
	case "", "Snapshot", "Drift":
		return true
	case "Observation":
		return strings.Contains(failure.Message, `: expected "`)
	case "Traffic":
		return strings.Contains(failure.Message, "expected at least")
	}
	return false
}

// due matches a field of Chainsaw's differences that must have another number.
var due = regexp.MustCompile(`(?m)^\s*\* (\S.*?): Invalid value: -?\d+: Expected value: (-?\d+)\b`)

// nearer says whether a write only brought a number nearer to the one that is due, as if the
// controller added one member after the other.
func nearer(r *history.Request, path, message string) bool {
	for _, m := range due.FindAllStringSubmatch(message, -1) {
		if plain(m[1]) != path {
			continue
		}
		for _, change := range r.Values {
			was, err := strconv.Atoi(change.Was)
			is, errIs := strconv.Atoi(change.Is)
			want, errWant := strconv.Atoi(m[2])
			if plain(change.Path) == path && err == nil && errIs == nil && errWant == nil {
				return was < is && is <= want || was > is && is >= want
			}
		}
	}
	return false
}

// untried returns the last request that the scenario let fail, if nothing of that sort has
// succeeded since, and the same process could have tried again. A new process does not wait:
// it looks at everything at its start. It returns nil if there is none.
func (c *Case) untried() *history.Request {
	type sort struct {
		replica, resource, subresource, name string
		writes                               bool
	}
	open, failed := map[sort]*history.Request{}, c.failedAt()
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		if !r.IsWrite() && r.Verb != history.VerbGet || !history.Matches(v1alpha1.RequestMatch{}, *r) {
			continue // a list is for a cache, which is filled at another pace
		}
		one := sort{r.Replica, r.GroupResource().String(), r.Subresource, r.Name, r.IsWrite()}
		switch {
		case r.Succeeded() && !r.Dropped(), r.Verb == history.VerbDelete && r.Code == http.StatusNotFound:
			delete(open, one)
		case c.ordered(r):
			open[one] = r
		}
	}
	var last *history.Request
	for _, r := range open {
		if (last == nil || r.Seq > last.Seq) && !c.startedSince(r) {
			last = r
		}
	}
	return last
}

// startedSince says whether the replica that made a request was started again after it, and
// before the step failed.
func (c *Case) startedSince(r *history.Request) bool {
	failed := c.failedAt()
	return slices.ContainsFunc(c.Account.Events, func(e history.Event) bool {
		return e.Reason == history.ReplicaStarted && e.Replica == r.Replica && e.Seq > r.Seq && (failed == 0 || e.Seq < failed)
	})
}
