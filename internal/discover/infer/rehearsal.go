package infer

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Unfit is a field that decides about a child, but that no profile should name, because the
// controller cannot work with the values that scenarios give it.
type Unfit struct {
	Role   Role
	Path   string
	Reason string
}

// unfit tells whether a field is unfit in a role.
func (r *Record) unfit(role Role, path string) bool {
	return slices.ContainsFunc(r.Unfit, func(u Unfit) bool { return u.Role == role && u.Path == path })
}

// Problem says why a scenario could not begin with an act on an object, or "" if all went
// well. An act went well if four things are true. The API server accepted the object. The
// controller made a main child. The API server accepted what the controller wrote. And the
// Pods became ready, if those of the sample did.
func (r *Record) Problem(a Act) string {
	if a.Refused != "" {
		return "the API server refuses it: " + a.Refused
	}
	if q := r.rejected(a); q != nil {
		return fmt.Sprintf("the API server refused what the controller wrote then: %s: %d %s", q.InWords(), q.Code, q.Message)
	}
	if r.mainIn(r.Film.At(a.Until), a.Object).Name == "" {
		return fmt.Sprintf("the controller made no %s for it", r.MainWorkload().Kind)
	}
	if r.Unready(a) {
		return NothingReady
	}
	return ""
}

// Unready tells whether the Pods of an object were not ready at the end of an act, though
// those of the sample were. Most scenarios begin with ready Pods.
func (r *Record) Unready(a Act) bool {
	first, ok := r.act(Create)
	return ok && r.rolledOutBy(first) && !r.rolledOutBy(a)
}

// rolledOutBy tells whether the Pods of an object's main child were all ready at the end of
// an act.
func (r *Record) rolledOutBy(a Act) bool {
	at := r.Film.At(a.Until)
	return moment{deployment: at[r.mainIn(at, a.Object)]}.rolledOut()
}

// rejected returns the first write of the controller during an act that the API server
// found invalid in itself, or nil. A write refused for another reason may succeed later:
// the object exists already, does not exist yet, or is not allowed. A write that was
// refused in the same way when all went well does not count.
func (r *Record) rejected(a Act) *history.Request {
	wrong := func(q history.Request) bool {
		return q.Effect == history.EffectRefused && q.Fault == "" &&
			slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError}, q.Code)
	}
	alike := func(a, b history.Request) bool {
		return a.GroupResource() == b.GroupResource() && a.Subresource == b.Subresource && a.Verb == b.Verb && a.Code == b.Code
	}
	var before []history.Request
	for _, act := range r.acts(Create) {
		before = append(before, slices.DeleteFunc(r.during(act), func(q history.Request) bool { return !wrong(q) })...)
	}
	for _, q := range r.during(a) {
		if wrong(q) && !slices.ContainsFunc(before, func(other history.Request) bool { return alike(q, other) }) {
			return &q
		}
	}
	return nil
}

// askUnfit says which fields decide about something, too, but are not in the profile.
func (f *finder) askUnfit() {
	for _, u := range f.Unfit {
		f.offer("contract.spec."+string(u.Role), nil, "%s decides about it, too, and is left out: with a value that scenarios give, %s", u.Path, u.Reason)
	}
	if f.Rich {
		f.ask("contract.base", "all that the sample has: with less, an object like those of the scenarios got no children")
	}
	if f.Unplayable != "" {
		f.ask("contract", "an object that is written as scenarios do did not work, whatever was left out: %s. Correct contract.base and contract.spec until it does", f.Unplayable)
	}
}

// MainOf returns the main child of an object, as far as was seen. It has no name if none
// was seen.
func (r *Record) MainOf(object string) Ref { return r.mainIn(r.Film.At(1<<62), object) }

// growsOnly tells whether the main child followed the number of replicas up, but then not
// down again.
func (r *Record) growsOnly(path string) bool {
	var before int64
	grew := false
	for _, act := range r.acts(Rehearse) {
		to, ok := whole(act.To)
		if act.Path != path || !ok {
			continue
		}
		at := r.Film.At(act.Until)
		child := at[r.mainIn(at, act.Object)]
		if child == nil {
			return false
		}
		number, _ := whole(At(child.Object, r.MainWorkload().Replicas))
		if grew && to < before && number == before {
			return true
		}
		grew, before = number == to, to
	}
	return false
}

// findGrowth notes whether the number of replicas only grows.
func (f *finder) findGrowth() {
	field := f.Spec.Contract.Spec.Replicas
	if field == nil || field.Path == "" || !f.growsOnly(field.Path) {
		return
	}
	field.GrowOnly = true
	f.note("contract.spec.replicas", Seen, "%s; then it followed a larger number, and no smaller one", f.fields[RoleReplicas].inWords())
	f.doubt("contract.spec.replicas", "%s was lowered, and the number of replicas of %s did not follow. If that is not meant, take growOnly and claims.notHealed out of "+
		"the profile: then the requirements judge it", field.Path, f.main)
	resource := strings.TrimSuffix(f.workload.Plural+"."+f.workload.Group, ".")
	f.Spec.Claims.NotHealed = append(f.Spec.Claims.NotHealed, v1alpha1.NotHealed{
		Resource: resource, Paths: []string{f.workload.Replicas}, Why: "its replicas are never lowered",
	})
	f.note("claims.notHealed", Guessed, "it lowers no number of replicas")
}
