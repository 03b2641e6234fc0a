package invariant

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// disowned: a child that has an owner reference keeps it while the owner exists. The
// controller must not remove the reference together with other changes. If it creates the
// child again, the new one must have the reference, too. Nobody cleans up a child without
// an owner.
//
// Such a write breaks the rule only if the requests show that the controller does not
// correct it. The controller writes the status of the owner afterwards. But until the end
// of the record, more than ten seconds later, it neither owns the child again nor deletes
// it. An owner whose finalizers change, or that is not found any more, may be about to go.
// A controller that lets a child go on purpose writes only the references.
type disowned struct{}

// mendedWithin is how long the record must go on, so that the controller has had the
// time to own a child again.
const mendedWithin = 10 * time.Second

func (disowned) Name() string { return v1alpha1.RuleDisowned }

func (disowned) Must() string {
	return "A child keeps its owner reference while its owner exists."
}

func (disowned) Hint() string {
	return "Set the owner reference in the object that you write, also if the child exists already: " +
		"an update or a server-side apply without it removes it."
}

func (rule disowned) Broken(r *View) []v1alpha1.Violation {
	proofs := r.proofs()
	owners := map[identical]history.Owner{} // of children, by what creates them
	for n, write := range r.Requests {
		if write.Effect != history.EffectEffective || write.Fault != "" || write.Bystander {
			continue
		}
		owner, owned := r.owner(write)
		id := identityOf(write)
		switch {
		case write.Verb == history.VerbCreate && owned:
			owners[id] = owner
		case write.Verb == history.VerbCreate:
			if before, known := owners[id]; known && len(write.Owners) == 0 && r.staysAlone(r.Requests[n:], before) {
				proofs.add(alike(write), write.Seq, "%s made %s %s without an owner reference, though the one before had one, and %s %s is there",
					write.Replica, write.GroupResource(), write.Name, before.Kind, before.Name)
			}
		case write.Disowned && owned && len(write.Changed) > 1 && r.staysAlone(r.Requests[n:], owner):
			proofs.add(alike(write), write.Seq, "%s took the owner reference off with an %s, though %s %s is there",
				write.Replica, told(write), owner.Kind, owner.Name)
		}
	}
	return proofs.violations(rule)
}

// owner returns the object of the primary kind that controls the object of a write.
func (r *View) owner(write *history.Request) (history.Owner, bool) {
	n := slices.IndexFunc(write.Owners, func(o history.Owner) bool { return o.Is(r.Contract.primaryKind()) && o.Controller })
	if n < 0 {
		return history.Owner{}, false
	}
	return write.Owners[n], true
}

// staysAlone says whether a child without an owner was left so, though there was an object
// of the owner's name. The first of the requests is the write of the child.
func (r *View) staysAlone(requests []*history.Request, owner history.Owner) bool {
	child, lives := requests[0], false
	for _, request := range requests[1:] {
		ofOwner := request.GroupResource() == r.Contract.Primary && request.Name == owner.Name && request.Namespace == child.Namespace
		switch {
		case request.UID == child.UID && mends(request):
			return false
		case ofOwner && (request.Code == http.StatusNotFound || changes(request, "metadata.finalizers")):
			return false
		case ofOwner && request.Subresource == "status" && request.IsWrite() && request.Succeeded():
			lives = true
		}
	}
	return lives && r.last().Sub(child.Time) > mendedWithin
}

// last returns the time of the last thing that was recorded.
func (r *View) last() time.Time {
	var last time.Time
	if len(r.All) > 0 {
		last = r.All[len(r.All)-1].Time
	}
	if len(r.Events) > 0 && r.Events[len(r.Events)-1].Time.After(last) {
		last = r.Events[len(r.Events)-1].Time
	}
	return last
}

// mends says whether a write gives a child an owner again, or deletes the child.
func mends(write *history.Request) bool {
	return write.Effect == history.EffectEffective && (write.Verb == history.VerbDelete || changes(write, "metadata.ownerReferences"))
}

// changes says whether a write changed a field, or something below it.
func changes(write *history.Request, field string) bool {
	return slices.ContainsFunc(write.Changed, func(path string) bool { return strings.HasPrefix(path, field) })
}
