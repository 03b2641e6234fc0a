package trial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The paths of harm that a status does.
const (
	// HarmTooEarly: the status says of a generation that it is done before the child is
	// written that it asks for.
	HarmTooEarly = "status says too early that it is done"
	// HarmNeverReady: the status says that it is ready, and no Pod has ever been.
	HarmNeverReady = "status says ready before any Pod was"
)

// heldFor is how long a status must say something wrong to do harm. What is wrong for a
// moment is seen by nobody.
const heldFor = time.Second

// readyTypes are the conditions that say that all is done.
func readyTypes() []string { return []string{"Ready", "Available"} }

// claimsOf returns what a status says of the newest generation of its object: the conditions
// that are True, and the phase. What it says counts only for the generation that it names: a
// condition that names one itself speaks of that one.
func claimsOf(v version) []string {
	var found []string
	observed, names, _ := unstructured.NestedInt64(v.Object, "status", "observedGeneration")
	current := names && observed == v.GetGeneration()
	if phase, _, _ := unstructured.NestedString(v.Object, "status", "phase"); phase != "" && current {
		found = append(found, "phase "+phase)
	}
	conditions, _, _ := unstructured.NestedSlice(v.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		kind, _ := condition["type"].(string)
		of, own := condition["observedGeneration"].(int64)
		counts := own && of == v.GetGeneration() || !own && current
		if condition["status"] == "True" && slices.Contains(readyTypes(), kind) && counts {
			found = append(found, "condition "+kind)
		}
	}
	return found
}

// claim is something that a status said from one version on until another one.
type claim struct {
	what       string
	from       version
	until      time.Time // zero: to the end
	generation int64
}

// claimed returns what the statuses of an object said, and also said at the end of the same
// generation.
func claimed(versions []version) []claim {
	last := versions[len(versions)-1]
	if last.gone {
		return nil
	}
	var all []claim
	for _, what := range claimsOf(last) {
		var open *claim
		for _, v := range versions {
			if v.GetUID() != last.GetUID() || v.GetGeneration() != last.GetGeneration() {
				continue
			}
			says := slices.Contains(claimsOf(v), what)
			switch {
			case says && open == nil:
				open = &claim{what: what, from: v, generation: v.GetGeneration()}
			case !says && open != nil:
				open.until = v.seen
				all = append(all, *open)
				open = nil
			}
		}
		if open != nil {
			all = append(all, *open)
		}
	}
	return all
}

// statusHarm returns what the statuses of the objects said that was not true.
func (r *run) statusHarm(versions map[string][]version) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	for _, o := range r.operations {
		if o.object == nil {
			continue
		}
		own := o.resource.GroupResource().String() + " " + o.name
		if len(versions[own]) == 0 {
			continue
		}
		for _, c := range claimed(versions[own]) {
			if found := r.tooEarly(c, versions); found != "" {
				all = append(all, v1alpha1.Divergence{
					Kind: v1alpha1.DivergenceHarm, Object: own, Path: HarmTooEarly, Found: found,
					Expected: "a status that names a generation describes what was made of it",
				})
			}
			if found := neverReady(c, own, versions); found != "" {
				all = append(all, v1alpha1.Divergence{
					Kind: v1alpha1.DivergenceHarm, Object: own, Path: HarmNeverReady, Found: found, Expected: "it is ready when its Pods are",
				})
			}
		}
	}
	return all
}

// tooEarly says how a status said too early that it is done: it was taken back for the same
// generation, and while it was said, the child had not yet become what it is at the end. The
// child is that whose write was disturbed: the controller knew that this write was not
// done. A controller that means something else with it does not take it back, or only after the
// touch: it may copy the annotations of its object to the children, and that may start a rollout.
// What the status has said since before the operation may stay for longer in two cases. A Conflict
// or a 429 is no failure to tell of: the controller, or its client library, tries again. And if its
// process has ended, nobody can take it back until the next one has seen what is there.
func (r *run) tooEarly(c claim, versions map[string][]version) string {
	if r.disturbance == nil || c.until.IsZero() || r.touched.hasCome(c.until) {
		return ""
	}
	ended := !r.struck.IsZero() && r.restarted.After(r.struck)
	if c.from.seen.Before(r.afterAt) && (r.disturbance.isNoFailure() || ended) {
		return ""
	}
	at := r.disturbance.At
	child := versions[at.Resource+" "+at.Name]
	if len(child) == 0 || child[len(child)-1].gone || at.Resource+" "+at.Name == c.from.key() {
		return ""
	}
	last := child[len(child)-1]
	made := slices.IndexFunc(child, func(v version) bool { return sameSpec(v, last) })
	if child[made].before(c.from) {
		return ""
	}
	until := c.until
	if child[made].seen.Before(until) {
		until = child[made].seen
	}
	held := until.Sub(r.wrongSince(c, child[:made]))
	if held < heldFor {
		return ""
	}
	return fmt.Sprintf("%s said of generation %d for %s, while %s was not yet written",
		c.what, c.generation, held.Round(time.Second/10), last.key())
}

// wrongSince is when a claim about a child began to be wrong: at its beginning, or when the
// child was deleted after that or, if it is later, when the controller tried to write the child.
// Before that the claim may have been right: an edit of an object beside, and the deletion of a
// child, raise no generation. And the machine, or an event, may only have been slow. What it has
// said since before the operation it cannot take back while it waits for the answer to that write.
func (r *run) wrongSince(c claim, child []version) time.Time {
	since := c.from
	for _, v := range child {
		if v.gone && since.before(v) {
			since = v
		}
	}
	tried := r.struck
	if c.from.seen.Before(r.afterAt) && r.answered.After(tried) {
		tried = r.answered
	}
	if tried.After(since.seen) {
		return tried
	}
	return since.seen
}

// sameSpec says whether two versions are the same, except for their metadata and status.
func sameSpec(one, other version) bool {
	return equality.Semantic.DeepEqual(withoutState(one), withoutState(other))
}

func withoutState(v version) map[string]any {
	rest := map[string]any{}
	for key, value := range v.Object {
		if key != "metadata" && key != "status" {
			rest[key] = value
		}
	}
	return rest
}

// neverReady says how a status said that it is ready although no Pod of any child had ever been
// ready. A child that was ready once may have been so when the controller looked. Of several
// children it may mean any: which of them count, only the controller knows.
func neverReady(c claim, own string, versions map[string][]version) string {
	if !strings.HasPrefix(c.what, "condition ") {
		return "" // a phase may mean anything
	}
	var late []string
	for key, child := range versions {
		last := child[len(child)-1]
		owned := slices.ContainsFunc(last.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.UID == c.from.GetUID() })
		if key == own || last.gone || !owned || readyPods(last) == 0 {
			continue
		}
		if first := slices.IndexFunc(child, func(v version) bool { return readyPods(v) > 0 }); !c.from.before(child[first]) {
			return ""
		}
		late = append(late, key)
	}
	if len(late) == 0 {
		return ""
	}
	slices.Sort(late)
	return fmt.Sprintf("%s of generation %d, before a Pod of %s was ready for the first time", c.what, c.generation, strings.Join(late, " or of "))
}

// readyPods returns how many Pods of a workload are ready. It returns 0 if the object
// is not a workload.
func readyPods(v version) int64 {
	ready, _, _ := unstructured.NestedInt64(v.Object, "status", "readyReplicas")
	return ready
}
