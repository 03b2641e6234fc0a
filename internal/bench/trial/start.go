package trial

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// HarmAtStart is the path of a Divergence: nothing has happened but that a new process
	// began to work, and it writes a child.
	HarmAtStart = "written by a new process"
	// HarmUnsaid is the path of a Divergence: nothing has happened but that a new process began
	// to work, and for a while the status no longer says that all is done.
	HarmUnsaid = "taken back by a new process"
)

// HarmBlind is the path of a Divergence: a new process tries to create a child that is there. It
// begins to work before it knows what there is.
const HarmBlind = "creation of what is there"

// blindHarm returns the children that the subject tried to create although they were there. Without
// anything to compare with, all are returned: some controllers always create first. Otherwise only
// those that a new process tries to create, when nothing else has happened.
func (r *run) blindHarm(account history.Account) []v1alpha1.Divergence {
	last := r.operations[len(r.operations)-1]
	records := r.spec.Undisturbed == nil
	if !records && (r.disturbance != nil && !r.disturbance.slowsLists() || last.Restart == nil && last.Failover == nil) {
		return nil
	}
	var all []v1alpha1.Divergence
	for _, q := range account.Requests {
		object := objectOf(q)
		child, lives := lastOf(r.versions[object])
		owner := metav1.GetControllerOfNoCopy(child)
		known := slices.ContainsFunc(all, func(d v1alpha1.Divergence) bool { return d.Object == object })
		if q.Verb != history.VerbCreate || q.Reason != string(metav1.StatusReasonAlreadyExists) || q.Fault != "" || q.Bystander ||
			q.Subresource != "" || !lives || owner == nil || !r.living[owner.UID] || known || !records && (q.Seq <= r.after || r.touched.isBefore(q.Seq)) || !history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		all = append(all, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceHarm, Object: object, Path: HarmBlind,
			Expected: "a new process finds out first what is there, as it does otherwise", Found: q.InWords() + ": " + q.Message,
		})
	}
	return all
}

// startHarm returns the harm that a new process does although nothing else has happened since
// the one before was at rest: the children that it writes, and what it takes back in a status.
// What comes after the touch is left out: a controller may copy the annotations of its object to
// the children, and that may start a rollout.
func (r *run) startHarm(account history.Account) []v1alpha1.Divergence {
	last := r.operations[len(r.operations)-1]
	if r.disturbance != nil && !r.disturbance.slowsLists() || last.Restart == nil && last.Failover == nil {
		return nil
	}
	var all []v1alpha1.Divergence
	for _, q := range account.Requests {
		owned := slices.ContainsFunc(q.Owners, func(owner history.Owner) bool { return owner.Controller && r.living[owner.UID] })
		known := slices.ContainsFunc(all, func(d v1alpha1.Divergence) bool { return d.Object == objectOf(q) })
		if q.Seq <= r.after || r.touched.isBefore(q.Seq) || !owned || known || q.Bystander || q.Verb != history.VerbUpdate || q.Subresource != "" ||
			q.Effect != history.EffectEffective || !history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		all = append(all, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceHarm, Object: objectOf(q), Path: HarmAtStart,
			Expected: "a new process writes nothing if nothing has changed", Found: q.InWords(),
		})
	}
	for _, o := range r.operations {
		if o.object == nil {
			continue
		}
		own := o.resource.GroupResource().String() + " " + o.name
		if found := unsaid(r.touched.until(r.versions[own]), r.afterAt); found != "" {
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: own, Path: HarmUnsaid,
				Expected: "the status stays as it is if nothing has changed", Found: found,
			})
		}
	}
	return all
}

// unsaid says what a status said before a moment, and says at the end, and did not say in
// between. It returns "" if there is nothing of this kind. What is done does not depend on the
// process that looks at it, so nobody may read that it is not.
func unsaid(versions []version, since time.Time) string {
	at := slices.IndexFunc(versions, func(v version) bool { return v.seen.After(since) })
	if at < 1 {
		return ""
	}
	last := versions[len(versions)-1]
	for _, what := range doneOf(versions[at-1]) {
		says := func(v version) bool { return slices.Contains(doneOf(v), what) }
		same := func(v version) bool {
			return !v.gone && v.GetUID() == last.GetUID() && v.GetGeneration() == last.GetGeneration()
		}
		between := slices.IndexFunc(versions[at:], func(v version) bool { return !says(v) })
		if between >= 0 && says(last) && !slices.ContainsFunc(versions[at-1:], func(v version) bool { return !same(v) }) {
			return fmt.Sprintf("it said %s before and says it now, and for a while it did not", what)
		}
	}
	return ""
}

// doneOf returns what a status says of how far an object is, whatever generation that is of:
// its phase, and the conditions that say that all is done.
func doneOf(v version) []string {
	var all []string
	if phase, _, _ := unstructured.NestedString(v.Object, "status", "phase"); phase != "" {
		all = append(all, "phase "+phase)
	}
	conditions, _, _ := unstructured.NestedSlice(v.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		if kind, _ := condition["type"].(string); condition["status"] == "True" && slices.Contains(readyTypes(), kind) {
			all = append(all, "condition "+kind)
		}
	}
	return all
}
