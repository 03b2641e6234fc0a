package explore

import (
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Plan is one operation with one disturbance at one point.
type Plan struct {
	Operation Operation
	// Disturb is what happens. If it is nil, nothing is disturbed: the operation itself must change
	// nothing.
	Disturb *v1alpha1.TrialDisturbance
	// Also is a second disturbance, or nil.
	Also *v1alpha1.TrialAlso `json:",omitempty"`
	// Undisturbed is the outcome that is expected.
	Undisturbed v1alpha1.TrialUndisturbed
	// Resources of the outcome.
	Resources []string
	// RestartAtEnd restarts the controller at the end, instead of touching its object. What that
	// does not repair is not a divergence.
	RestartAtEnd bool `json:",omitempty"`
	// Shown is true if a recording has shown already that it diverges.
	Shown bool `json:",omitempty"`
	// Smaller is true if the object has fewer fields than the sample.
	Smaller bool `json:",omitempty"`
	// Sort of the disturbance, such as crash or conflict.
	Sort string
	// Kind of the objects that are written or watched at the point.
	Kind string
	// Point and How say in words where and how it is disturbed.
	Point, How string
}

// InWords names a plan.
func (p *Plan) InWords() string {
	text := p.Operation.Name + ": " + p.Point + ": " + p.How
	if p.Smaller {
		text += " (a smaller object)"
	}
	return text
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

// behind is by how much all watches are late together, in milliseconds: more than a second,
// after which some controllers try again for the first time, and less than a subject must be
// quiet to be at rest.
const behind = 1100

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

// at returns the point of a write.
func (w Write) at() v1alpha1.TrialPoint {
	point := v1alpha1.TrialPoint{Verb: w.Verb, Resource: w.Resource, Subresource: w.Subresource, Name: w.Name, Occurrence: w.Occurrence}
	if w.Subresource == "" {
		point.Subresource = "-"
	}
	return point
}

// plans returns all plans of a recording that differ, without those with other operations
// meanwhile. Killing the controller before a write is the same as killing it after the
// write before, except for the first.
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

// plan returns a plan of this sort without its disturbance, which expects the outcome of the
// recording. point and how say in words where and how something is done.
func (r *Recording) plan(sort, kind, point, how string) *Plan {
	return &Plan{Operation: r.Operation, Undisturbed: *r.Undisturbed.DeepCopy(), Sort: sort, Kind: kind, Point: point, How: how}
}

// planAsCreated returns a plan without a disturbance, after which the outcome must be that of
// the creation.
func (r *Recording) planAsCreated(create *Recording, sort, kind, how string) *Plan {
	plan := r.plan(sort, kind, "afterwards", how)
	plan.Undisturbed.Objects = create.Undisturbed.Objects
	plan.Undisturbed.Masks = maskedToo(create.Undisturbed.Masks, r.Undisturbed.Masks)
	return plan
}

// watchPlans disturb the watches of a recording.
func (r *Recording) watchPlans() []*Plan {
	if len(r.Writes) == 0 {
		return nil // nothing came of the operation
	}
	var all []*Plan
	if len(r.eventful()) > 1 {
		plan := r.plan("watch-late-all", "all", "on all watches", "their events come 1.1 s late")
		plan.Disturb = &v1alpha1.TrialDisturbance{
			At: v1alpha1.TrialPoint{Verb: history.VerbWatch}, Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Lag: &v1alpha1.WatchLag{Ms: behind}}},
		}
		all = append(all, plan)
	}
	for _, resource := range r.eventful() {
		for _, way := range []struct {
			sort, how string
			watch     v1alpha1.WatchAction
		}{
			{"watch-frozen", "they stand still until all is over, and expire then", v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{Ends: v1alpha1.FreezeEndsExpired}}},
			{"watch-late", "their events come 1 s late", v1alpha1.WatchAction{Lag: &v1alpha1.WatchLag{Ms: 1000}}},
		} {
			plan := r.plan(way.sort, resource, "on the watches of "+resource, way.how)
			plan.Disturb = &v1alpha1.TrialDisturbance{
				At: v1alpha1.TrialPoint{Verb: history.VerbWatch, Resource: resource}, Fault: &v1alpha1.FaultAction{Watch: way.watch.DeepCopy()},
			}
			all = append(all, plan)
		}
	}
	return all
}

// equalPlans compare the outcome of operations that must change nothing, in the end, with
// that of the creation: the controller puts everything back, or makes it again.
func equalPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	create := recorded["create"]
	if create == nil {
		return nil
	}
	var all []*Plan
	for _, o := range operations {
		sort := o.sort()
		if recorded[o.Name] == nil || !slices.Contains([]string{"recreate", "drift", "delete-child", "restart", "failover"}, sort) {
			continue
		}
		if r := recorded[o.Name]; r.holdsDeleted() || r.isAboutFinished(create) {
			continue
		}
		all = append(all, recorded[o.Name].planAsCreated(create, "undone", "all", "all must be as after the creation"))
	}
	return all
}

// holdsDeleted tells whether a child that somebody deletes is still there at the end, because a
// finalizer holds it, such as a claim that a Pod uses. Nobody can take a deletion back.
func (r *Recording) holdsDeleted() bool {
	child := r.Steps[len(r.Steps)-1].DeleteChild
	objects, err := objectsOf(r)
	if child == nil || err != nil {
		return false
	}
	left, _ := objects[child.Resource+" "+child.Name].(map[string]any)
	_, ending, _ := unstructured.NestedFieldNoCopy(left, "metadata", "deletionTimestamp")
	return ending
}

// eventful returns the watches on which events come: those of the kinds that the
// controller writes in the operation, and of the kinds that the last step is about.
func (r *Recording) eventful() []string {
	return slices.DeleteFunc(slices.Clone(r.Watches), func(resource string) bool {
		return resource != r.About && !slices.ContainsFunc(r.Writes, func(w Write) bool { return w.Resource == resource })
	})
}

// whileOpen begins the name of a point: something else is done while a write is open.
const whileOpen = "while it waits for the answer to "

// meanwhilePlans do something else while each write is open.
func meanwhilePlans(recorded map[string]*Recording, r *Recording, others []Other) []*Plan {
	var all []*Plan
	for _, other := range others {
		both := recorded[r.Name+" then "+other.Name]
		if both == nil {
			continue
		}
		for n, w := range r.Writes {
			plan := r.plan("meanwhile-"+other.Name, w.kind(), whileOpen+w.InWords(), other.How)
			plan.Undisturbed = *both.Undisturbed.DeepCopy()
			if other.Step.Delete != nil {
				plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, unmade(r.Writes[n:], plan.Undisturbed.Objects)...)
			}
			if create := recorded["create"]; other.Step.Recreate != nil && create != nil {
				plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, survived(create.Undisturbed.Objects, plan.Undisturbed.Objects)...)
			}
			plan.Undisturbed.Deletions = append(plan.Undisturbed.Deletions, r.Undisturbed.Deletions...)
			plan.Undisturbed.Harms = append(plan.Undisturbed.Harms, r.Undisturbed.Harms...)
			plan.Undisturbed.Writes += r.Undisturbed.Writes
			plan.Disturb = &v1alpha1.TrialDisturbance{At: w.at(), Meanwhile: other.Step.DeepCopy()}
			all = append(all, plan)
		}
	}
	return all
}

// unmade returns masks for objects that are there although the controller's object was
// deleted, and that are created by these writes. If the deletion comes before these writes,
// the objects are never created, and that is right, too.
func unmade(writes []Write, outcome string) []v1alpha1.TrialMask {
	var there map[string]any
	if json.Unmarshal([]byte(outcome), &there) != nil {
		return nil
	}
	var all []v1alpha1.TrialMask
	for _, w := range writes {
		object := w.Resource + " " + w.Name
		for key := range there {
			if matches, err := path.Match(object, key); err == nil && matches && w.Verb == history.VerbCreate && w.Subresource == "" {
				all = append(all, v1alpha1.TrialMask{Object: object})
				break
			}
		}
	}
	return all
}

// survived returns masks for what differs between the outcome of a creation, and that of a
// second creation after a deletion. If something of the first object stays and the second one
// uses it, the outcome depends on whether it had been made before the deletion.
func survived(created, again string) []v1alpha1.TrialMask {
	var one, other map[string]any
	if errors.Join(json.Unmarshal([]byte(created), &one), json.Unmarshal([]byte(again), &other)) != nil {
		return nil
	}
	return masks(one, other)
}

// Other is an operation that somebody does meanwhile.
type Other struct {
	Name, How string
	Step      v1alpha1.TrialOperation
}

// collected are plans that were made one sort after the other, and what went wrong.
type collected struct {
	plans []*Plan
	errs  []error
}

func (c *collected) add(plans []*Plan, err error) {
	c.plans, c.errs = append(c.plans, plans...), append(c.errs, err)
}

// plan makes the plans of a target.
func (e *Exploration) plan(target *Target, operations []Operation, recorded map[string]*Recording, others []Other, wild []*restless) ([]*Plan, error) {
	own := target.own()
	var all collected
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil {
			continue // it could not be recorded, which is told
		}
		if len(r.Writes) == 0 {
			e.left = append(e.left, o.Name+": the controller writes nothing after it")
		}
		all.add(r.plans(), nil)
		if e.target.elects() {
			all.add(r.leasePlans(), nil)
		}
		all.add(meanwhilePlans(recorded, r, others), nil)
		all.add(answerPlans(recorded, r, others, own), nil)
		all.add(markPlans(recorded, r), nil)
		all.add(target.meddledPlans(recorded, r))
	}
	all.add(equalPlans(recorded, operations), nil)
	all.add(finishedPlans(recorded, operations))
	all.add(driftPlans(recorded, operations, e.target.Profile.HasContract()), nil)
	all.add(missedPlans(recorded, operations), nil)
	all.add(bystanderPlans(recorded, operations), nil)
	all.add(orphanPlans(recorded, operations, target))
	all.add(endingPlans(recorded, operations, own))
	all.add(stalePlans(recorded, operations, own), nil)
	all.add(slowListPlans(recorded, operations), nil)
	all.add(refusedPlans(recorded, operations), nil)
	all.add(hangPlans(recorded, operations), nil)
	all.add(closedPlans(recorded, operations), nil)
	all.add(gapPlans(recorded, operations))
	all.add(toldPlans(recorded, operations, target))
	all.add(backPlans(recorded, operations, own, target.Profile.HasContract()))
	all.add(templatePlans(recorded, operations, target.Profile))
	all.add(asNewPlans(recorded, operations, own))
	all.add(anotherPlans(recorded, own))
	all.add(target.longPlans(recorded, operations))
	all.add(heldPlans(recorded), nil)
	all.add(target.besidePlans(recorded, operations))
	all.add(takenPlans(recorded, operations))
	all.add(latePlans(recorded, operations, target))
	all.add(e.restPlans(operations, wild))
	if e.options.Pairs {
		all.add(pairPlans(recorded, operations), nil)
	}
	if err := errors.Join(all.errs...); err != nil {
		return nil, err
	}
	plans := e.inTheseWays(all.plans)
	if err := noteShown(plans, recorded); err != nil {
		return nil, err
	}
	return distinct(plans)
}
