package invariant

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// foreignObject: the controller has no effective write to an object of a child's kind that
// it neither owns nor may adopt.
//
// Three sorts of objects are its own: those with an owner of the primary kind just before
// the write; those that it has created itself, while no other controller owns them; and those
// whose controlling owner it has created itself, such as a revision between the primary object
// and its Deployment. It may adopt an object without an owner, unless it claims to refuse such objects. A
// creation takes nothing from anybody.
//
// The status of a workload, such as a Deployment, belongs to the controllers of the cluster.
//
// A bystander, which the bench has made to look like a child, never belongs to the
// controller, whatever its kind is.
type foreignObject struct{}

func (foreignObject) Name() string { return v1alpha1.RuleForeignObject }

func (foreignObject) Must() string {
	return "The controller writes to no object of somebody else, nor to the status of a workload, which the cluster writes."
}

func (foreignObject) Hint() string {
	return "Before you change or delete an object, look at who controls it (metav1.IsControlledBy), " +
		"and not at its name or its labels alone. Write the status of your own kind only: that of a Deployment says what the cluster has found."
}

func (rule foreignObject) Broken(r *View) []v1alpha1.Violation {
	created := map[types.UID]bool{} // by the controller, of whatever kind
	proofs := r.proofs()
	for _, write := range r.All {
		switch {
		case write.Effect != history.EffectEffective:
		case write.Bystander:
			proofs.add(alike(write), write.Seq, "%s %s, %s", write.Replica, did(write), whose(write))
		case ofTheCluster(write):
			proofs.add(alike(write), write.Seq, "%s %s, which the controllers of the cluster write", write.Replica, did(write))
		case write.Verb == history.VerbCreate && write.UID != "":
			created[write.UID] = true
		}
	}
	for _, write := range r.Requests {
		if write.Bystander || ofTheCluster(write) || write.Effect != history.EffectEffective || write.Verb == history.VerbCreate ||
			!slices.Contains(r.Contract.Children, write.GroupResource()) {
			continue
		}
		own := func(o history.Owner) bool { return o.Is(r.Contract.primaryKind()) }
		// A write has no UID if the object could not be read before, or if it was about
		// many objects.
		if write.UID == "" || slices.ContainsFunc(write.Owners, own) {
			continue
		}
		owner := slices.IndexFunc(write.Owners, func(o history.Owner) bool { return o.Controller })
		switch {
		case owner >= 0 && created[write.Owners[owner].UID]:
		case owner >= 0:
			proofs.add(alike(write), write.Seq, "%s %s, which %s %s owns",
				write.Replica, did(write), write.Owners[owner].Kind, write.Owners[owner].Name)
		case created[write.UID], r.Contract.Unowned != v1alpha1.OwnershipRefuse:
		default:
			proofs.add(alike(write), write.Seq, "%s %s, which nobody owns; the profile says unowned: refuse",
				write.Replica, did(write))
		}
	}
	return proofs.violations(rule)
}

// ofTheCluster says whether a request is about a status that the controllers of the cluster
// write, and nobody else does. Others may have a part in the status of Pods, Services or Jobs.
func ofTheCluster(r *history.Request) bool {
	return r.Subresource == "status" && r.Group == "apps" &&
		slices.Contains([]string{"deployments", "statefulsets", "daemonsets", "replicasets"}, r.Resource)
}

// whose says who owns a bystander.
func whose(write *history.Request) string {
	owner := slices.IndexFunc(write.Owners, func(o history.Owner) bool { return o.Controller })
	switch {
	case write.Name == "":
		return "all that a selector matched, and among them one that is not its own, with labels like those of a child"
	case owner >= 0:
		return "which " + write.Owners[owner].Kind + " " + write.Owners[owner].Name + " owns, though its labels or its name are like those of a child"
	default:
		return "which nobody owns, though its labels or its name are like those of a child"
	}
}
