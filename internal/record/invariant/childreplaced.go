package invariant

import (
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// childReplaced: a child that the controller has made stays the same object while its
// owner lives. The controller does not delete it and make it again.
//
// The requests must show two things: the controller deletes a child that it had created
// itself for an object of the primary kind, and it creates another one with the same name
// for the same owner. This proves nothing if
//   - the object or its owner was made by somebody else, or was deleted by somebody else;
//   - the API server had refused an update of the object as invalid (422): such a change
//     needs a new object;
//   - the new object differs in a field that the API server lets nobody change;
//   - the spec of the owner was changed between the two: in between, the child may not
//     have been wanted;
//   - objects of the kind cannot be changed, such as Jobs, or it is not known whether they
//     can;
//   - the name depends on the spec, and a child with another name was made in between.
type childReplaced struct{}

func (childReplaced) Name() string { return v1alpha1.RuleChildReplaced }

func (childReplaced) Must() string {
	return "A child stays the same object while its owner exists."
}

func (childReplaced) Hint() string {
	return "Update the child that is there. Only a field that the API server lets nobody change " +
		"needs another object."
}

// changeable are the kinds in which everything that the contract is about can be changed.
var changeable = []schema.GroupResource{
	{Resource: "services"},
	{Group: "apps", Resource: "deployments"},
	{Group: "apps", Resource: "statefulsets"},
	{Group: "apps", Resource: "daemonsets"},
	{Group: "apps", Resource: "replicasets"},
	{Group: "batch", Resource: "cronjobs"},
}

// childKey identifies a child of an owner.
type childKey struct {
	resource        schema.GroupResource
	namespace, name string
	owner           types.UID
}

func (rule childReplaced) Broken(r *View) []v1alpha1.Violation {
	proofs := r.proofs()
	created := map[types.UID]bool{}
	invalid := map[object]bool{}               // an update of it was refused as invalid
	deleted := map[childKey]*history.Request{} // by the controller
	for _, write := range r.Requests {
		if !slices.Contains(r.Contract.Children, write.GroupResource()) || !slices.Contains(changeable, write.GroupResource()) {
			continue
		}
		named := object{write.GroupResource().String(), write.Namespace, write.Name}
		if write.Verb == history.VerbUpdate && write.Code == http.StatusUnprocessableEntity {
			invalid[named] = true
		}
		if write.Effect != history.EffectEffective || write.UID == "" {
			continue
		}
		key, owned := r.child(write)
		switch {
		case write.Verb == history.VerbCreate:
			created[write.UID] = true
			delete(invalid, named)
			if deletion := deleted[key]; owned && deletion != nil && !needed(deletion, write) {
				what := alike(deletion)
				proofs.add(what, deletion.Seq, "%s %s, which its %s still asked for, and made it again",
					deletion.Replica, did(deletion), r.Contract.Kind)
				proofs.add(what, write.Seq, "%s made %s %s again, which it had deleted",
					write.Replica, write.GroupResource(), write.Name)
			}
			delete(deleted, key)
			if owned && slices.Contains(r.Contract.Renamed, write.GroupResource()) {
				forget(deleted, key)
			}
		case write.Verb == history.VerbDelete && owned && created[write.UID] && !invalid[named]:
			deleted[key] = write
		}
	}
	return proofs.violations(rule)
}

// needed says whether a child had to be deleted before it was created again: because a
// field differs that cannot be changed, or because the spec has changed.
func needed(deletion, creation *history.Request) bool {
	return deletion.Fixed != creation.Fixed || deletion.OwnerGeneration < creation.OwnerGeneration
}

// child returns the child that a write is about, or false if no object of the primary kind
// owns it.
func (r *View) child(write *history.Request) (childKey, bool) {
	owner := slices.IndexFunc(write.Owners, func(o history.Owner) bool { return o.Is(r.Contract.primaryKind()) })
	if owner < 0 {
		return childKey{}, false
	}
	return childKey{write.GroupResource(), write.Namespace, write.Name, write.Owners[owner].UID}, true
}

// forget forgets the deletions of other children of this kind and owner: they had another
// name.
func forget(deleted map[childKey]*history.Request, renamed childKey) {
	for key := range deleted {
		if key.resource == renamed.resource && key.owner == renamed.owner {
			delete(deleted, key)
		}
	}
}
