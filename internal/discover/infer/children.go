package infer

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
)

// madeFor returns the UIDs of what the controller made while things were done to an object,
// in order.
func (r *Record) madeFor(object string) []types.UID {
	var made []types.UID
	for _, act := range r.acts(Create, Change, Born, Rehearse, Withhold, Vacate, Occupy, Hinder, Unhinder) {
		if act.Object != object {
			continue
		}
		for _, q := range r.during(act) {
			if q.Verb == history.VerbCreate && q.Effect == history.EffectEffective && q.UID != "" {
				made = append(made, q.UID)
			}
		}
	}
	return made
}

// mainIn returns the main child of an object (a workload) among the given objects. If the
// controller replaced the first one, it is the latest replacement. The result has no name
// if there is no main child.
func (r *Record) mainIn(objects map[Ref]*unstructured.Unstructured, object string) Ref {
	return r.mainFinder(object)(objects)
}

// mainFinder returns a function that finds the main child of an object, as mainIn does. What does
// not depend on the given objects is looked up once: a film may have thousands of versions.
func (r *Record) mainFinder(object string) func(map[Ref]*unstructured.Unstructured) Ref {
	made := r.madeFor(object)
	first := r.Main()
	var replacements []*unstructured.Unstructured // the latest first
	for _, act := range slices.Backward(r.acts(Change)) {
		if act.Object == object {
			replacements = append(replacements, ofKind(r.ofWorkloads(r.madeDuring(act)), first.Kind)...)
		}
	}
	return func(objects map[Ref]*unstructured.Unstructured) Ref {
		for _, o := range replacements {
			if present := objects[refOf(o)]; present != nil && present.GetUID() == o.GetUID() {
				return refOf(o)
			}
		}
		if present := objects[first]; present != nil && slices.Contains(made, present.GetUID()) {
			return first
		}
		for _, ref := range sortedRefs(objects) {
			if ref.Kind == first.Kind && slices.Contains(made, objects[ref].GetUID()) {
				return ref
			}
		}
		return Ref{}
	}
}

// IsOwn tells whether a child is that of one object: the object owns it, or its name has the
// object's name in it. Another one may be shared by all objects of a namespace.
func (r *Record) IsOwn(child *unstructured.Unstructured, object string) bool {
	return strings.Contains(child.GetName(), object) || r.isOwnedBy(child, object)
}

// sharedChildren returns the workloads and Services that were made for the first object, that seem not to
// be its own, and that were not made again for another object.
func (r *Record) sharedChildren() []Ref {
	var shared []Ref
	created, another := r.acts(Create), false
	if len(created) == 0 {
		return nil
	}
	again := map[string]bool{} // kinds
	for _, act := range created[1:] {
		if act.Object == created[0].Object || !r.Made(act) {
			continue
		}
		another = true
		for _, child := range r.madeDuring(act) {
			again[child.GetKind()] = again[child.GetKind()] || !r.IsOwn(child, act.Object)
		}
	}
	made := r.madeDuring(created[0])
	for _, child := range slices.Concat(r.ofWorkloads(made), ofKind(made, "Service")) {
		if another && !again[child.GetKind()] && !r.IsOwn(child, created[0].Object) {
			shared = append(shared, refOf(child))
		}
	}
	return shared
}

// askShared asks about children that all objects of a namespace seem to share.
func (f *finder) askShared() {
	var names, entries []string
	for _, ref := range f.sharedChildren() {
		names = append(names, ref.String())
		entries = append(entries, fmt.Sprintf("{kind: %s, name: %s}", ref.Kind, ref.Name))
	}
	if len(names) > 0 {
		f.offer("contract.children", []string{"shared: [" + strings.Join(entries, ", ") + "]"},
			"%s: not owned by %s, not named after it, and not made again for another %s. Do all objects of a namespace share this? "+
				"Then it may stay when one of them is deleted. Otherwise what is left of it is a mistake, which CD-001 finds",
			strings.Join(names, ", "), f.first.Object, f.Kind)
	}
}

// Main returns the workload of the first object about which most of the object's fields
// decide. Of several alike, one that is its own counts.
func (r *Record) Main() Ref {
	created, ok := r.act(Create)
	if !ok {
		return Ref{}
	}
	candidates := r.ofWorkloads(r.madeDuring(created))
	if len(candidates) == 0 {
		return Ref{}
	}
	roles := map[Ref]map[Role]bool{}
	for _, act := range r.acts(Change) {
		for _, effect := range r.Effects(act) {
			if roles[effect.Child] == nil {
				roles[effect.Child] = map[Role]bool{}
			}
			roles[effect.Child][effect.Role] = true
		}
	}
	best := candidates[0]
	for _, d := range candidates[1:] {
		more := len(roles[refOf(d)]) - len(roles[refOf(best)])
		if more > 0 || more == 0 && r.IsOwn(d, created.Object) && !r.IsOwn(best, created.Object) {
			best = d
		}
	}
	return refOf(best)
}

// counterpart returns the child that was made in the act other and corresponds to a
// child that was made in the act first. It has the same name, with the name of the
// other object in it. Otherwise it was created at the same place in the order.
func (r *Record) counterpart(child Ref, first, other Act) *unstructured.Unstructured {
	mine, theirs := ofKind(r.madeDuring(first), child.Kind), ofKind(r.madeDuring(other), child.Kind)
	name := strings.Replace(child.Name, first.Object, other.Object, 1)
	for _, o := range theirs {
		if o.GetName() == name {
			return o
		}
	}
	place := slices.IndexFunc(mine, func(o *unstructured.Unstructured) bool { return refOf(o) == child })
	if place < 0 || place >= len(theirs) {
		return nil
	}
	return theirs[place]
}

// mainService returns the Service of the first object that reaches the Pods of the main
// child. If there are several, it is the first that leads to a port of the Pods and is not
// headless. A Service without ports, which only gives the Pods their names, does not count.
func (r *Record) mainService(main Ref) *unstructured.Unstructured {
	created, _ := r.act(Create)
	return r.serviceAmong(r.madeDuring(created), r.Film.At(created.Until)[main])
}

// ServiceOf returns the Service that the controller has made for the Pods of an object, or
// an empty reference.
func (r *Record) ServiceOf(object string) Ref {
	now := r.Film.Last()
	service := r.serviceAmong(madeBy(r.Account.Requests, now), now[r.mainIn(now, object)])
	if service == nil {
		return Ref{}
	}
	return refOf(service)
}

// serviceAmong returns the best Service of these objects for the Pods of a workload.
func (r *Record) serviceAmong(made []*unstructured.Unstructured, workload *unstructured.Unstructured) *unstructured.Unstructured {
	if workload == nil {
		return nil
	}
	template := r.podTemplate(workload)
	labels, _ := At(template, "metadata.labels").(map[string]any)
	var found *unstructured.Unstructured
	best := 0
	for _, service := range ofKind(made, "Service") {
		selector, _ := At(service.Object, "spec.selector").(map[string]any)
		reaches := len(selector) > 0
		for key, value := range selector {
			reaches = reaches && same(labels[key], value)
		}
		if rank := rankOf(service, template); reaches && rank > best {
			best, found = rank, service
		}
	}
	return found
}

// rankOf says how well a Service serves the Pods of a template. A Service without ports has
// rank 0.
func rankOf(service *unstructured.Unstructured, template map[string]any) int {
	ports, _ := At(service.Object, "spec.ports").([]any)
	if len(ports) == 0 {
		return 0
	}
	rank := 1
	if At(service.Object, "spec.clusterIP") != "None" {
		rank++
	}
	if slices.ContainsFunc(ports, func(port any) bool { return leadsTo(port, template) }) {
		rank += 2
	}
	return rank
}

// leadsTo tells whether a port of a Service leads to a port that a container of a Pod
// template declares, by name or by number.
func leadsTo(port any, template map[string]any) bool {
	containers, _ := At(template, "spec.containers").([]any)
	for _, container := range containers {
		container, _ := container.(map[string]any)
		declared, _ := container["ports"].([]any)
		if slices.ContainsFunc(declared, func(own any) bool { return isTarget(port, own) }) {
			return true
		}
	}
	return false
}

// isTarget tells whether a port of a Service leads to a port that a container declares.
func isTarget(port, declared any) bool {
	fields, _ := port.(map[string]any)
	target := fields["targetPort"]
	if target == nil {
		target = fields["port"]
	}
	own, ok := declared.(map[string]any)
	return ok && (same(own["containerPort"], target) || same(own["name"], target))
}
