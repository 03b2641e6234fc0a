package verdict

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// What to do about mistakes that make many requirements fail.
const (
	hintOfRight = "The role of the controller lacks this right. Add it to the RBAC manifests: in a controller " +
		"with markers for it, add one and generate them again."
	hintOfConflict = "A conflict says that the object that you read is out of date. Return the conflict as an error, " +
		"or read the object again and write it once more. An error that is only logged ends the work, and so does a " +
		"result without a requeue. A filter on the generation drops the event that would bring you back."
	hintOfMetadata = "Do not replace the labels or the annotations of a child as a whole: others keep theirs there. Set only your " +
		"own in a copy of the present object, or apply only these (server-side apply)."
	hintOfSwallowed = "Return the error of each write from the reconcile: then the queue brings the object back, after " +
		"a pause. An error that is only logged ends the work, and so does a result without a requeue."
)

// ofRetries is the area of the requirements that are about failed writes.
const ofRetries = "retries"

// mistake returns the mistake that the requests show, and what to do about it, if it is
// another one than that which the requirement is there to catch. Otherwise it returns "".
func (c *Case) mistake(failure chainsaw.Failure, f *Finding) (mistake, hint string) {
	if right := c.rightLacking(f); right != "" {
		return "the API server refused what this needs: no right to " + right, hintOfRight
	}
	if removed := c.metadataRemoved(f.Symptoms); removed != "" {
		return removed, hintOfMetadata
	}
	last := c.swallowed(failure)
	switch {
	case last == nil || c.Requirement.Area == ofRetries:
		return "", "" // it is about such answers
	case last.Code != http.StatusConflict:
		return fmt.Sprintf("the last %s of %s failed, and was not tried again", last.Verb, last.GroupResource()), hintOfSwallowed
	case strings.Contains(c.Requirement.Catches, "conflict"):
		return "", ""
	}
	return fmt.Sprintf("the last %s of %s met a conflict, and was not tried again", last.Verb, last.GroupResource()), hintOfConflict
}

// rightLacking returns the right that the controller lacks, if that may be why the step
// failed: a violation says so, or the last write before the failure was refused for it.
func (c *Case) rightLacking(f *Finding) string {
	if slices.Contains(c.Requirement.Judges, v1alpha1.RuleForbidden) {
		return ""
	}
	for _, violation := range f.Violations {
		if violation.Rule == v1alpha1.RuleForbidden && (f.Failure == "" || Judged{Symptoms: f.Symptoms}.explained(violation)) {
			return strings.Replace(violation.About, " of ", " ", 1)
		}
	}
	if !all(f.Symptoms, lacks) {
		return ""
	}
	var last *history.Request
	failed := c.failedAt()
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		if r.IsWrite() && !r.IsElection() && !r.IsEvent() {
			last = r
		}
	}
	if last == nil || !invariant.Unauthorised(last) {
		return ""
	}
	resource := last.GroupResource()
	if last.Subresource != "" {
		resource.Resource += "/" + last.Subresource
	}
	return fmt.Sprintf("%s %s", last.Verb, resource)
}

// swallowed returns the last write of what the step found missing, if that write failed, and
// the controller had time enough for another one. It returns nil if something else is wrong
// too.
func (c *Case) swallowed(failure chainsaw.Failure) *history.Request {
	var found *history.Request
	for _, w := range c.wrongs(failure) {
		if s := c.symptom(w); !s.AfterFailure || s.Late || s.Starved {
			return nil
		}
		writes := c.writes(w)
		last, _ := lastAttempt(writes)
		if last == nil || c.mayFollow(last, writes) || last.Code == 0 || last.Reason == string(metav1.StatusReasonAlreadyExists) ||
			last.Code < http.StatusInternalServerError && last.Code != http.StatusConflict && last.Code != http.StatusTooManyRequests ||
			last.Subresource == "status" && !below(w.path, "status") {
			return nil
		}
		found = last
	}
	return found
}

// mayFollow says whether another attempt at a write may only not be due yet when the step
// failed.
func (c *Case) mayFollow(last *history.Request, writes []history.Request) bool {
	longest := briefly
	for n := 1; n < len(writes) && writes[n].Seq <= last.Seq; n++ {
		if before := &writes[n-1]; !done(*before) && sameAs(before, last) {
			longest = max(longest, mostGrowth*writes[n].Time.Sub(before.Time))
		}
	}
	failed := c.failure()
	return failed == nil || failed.Time.Sub(last.Time) < longest
}

// metadataRemoved says which label or annotation the controller removed that it had not set
// itself, if all that the step found are such writes, and the requirement is about something
// else. Otherwise it returns "".
func (c *Case) metadataRemoved(symptoms []v1alpha1.Symptom) string {
	ofMetadata := func(s v1alpha1.Symptom) bool {
		return s.State == v1alpha1.Written && (s.Path == "metadata.labels" || s.Path == "metadata.annotations")
	}
	home := slices.ContainsFunc(c.Requirement.HomeOf, func(h catalogue.Home) bool { return strings.HasPrefix(h.Path, "metadata.") })
	if len(symptoms) == 0 || home || !all(symptoms, ofMetadata) {
		return ""
	}
	own := map[string]bool{}
	failed, occasion := c.failedAt(), c.occasion()
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		if !done(*r) || r.GroupResource().String() != symptoms[0].Resource {
			continue
		}
		for _, change := range r.Values {
			key, found := strings.CutPrefix(change.Path, symptoms[0].Path+".")
			switch {
			case !found:
			case change.Is != "":
				own[r.Name+" "+key] = true
			case r.Seq >= occasion && !own[r.Name+" "+key]:
				kind := strings.TrimSuffix(strings.TrimPrefix(symptoms[0].Path, "metadata."), "s")
				return fmt.Sprintf("the controller removes what others set: the %s %s of %s %s, which was %s", kind, key, symptoms[0].Resource, r.Name, change.Was)
			}
		}
	}
	return ""
}
