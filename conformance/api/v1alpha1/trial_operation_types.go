package v1alpha1

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// TrialOperation is one thing that is done to the objects or to the subject. Exactly one
// is given.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type TrialOperation struct {
	// create an object.
	// +optional
	Create *TrialObject `json:"create,omitempty"`
	// patch an object with a JSON merge patch.
	// +optional
	Patch *TrialPatch `json:"patch,omitempty"`
	// delete an object. Its children may go after it.
	// +optional
	Delete *TrialTarget `json:"delete,omitempty"`
	// orphan deletes an object, and its children stay: the garbage collector takes their
	// owner references off (kubectl delete --cascade=orphan).
	// +optional
	Orphan *TrialTarget `json:"orphan,omitempty"`
	// foreground deletes an object, and the garbage collector deletes its children first
	// (kubectl delete --cascade=foreground). It may be a child, which somebody else deletes.
	// +optional
	Foreground *TrialTarget `json:"foreground,omitempty"`
	// recreate deletes the object of this name, and creates this one as soon as the name is
	// free. If mark was carried out on the object before, its finalizer is removed meanwhile.
	// +optional
	Recreate *TrialObject `json:"recreate,omitempty"`
	// drift acts as somebody else, and changes fields of a child that the subject set.
	// +optional
	Drift *TrialDrift `json:"drift,omitempty"`
	// deleteChild acts as somebody else, and deletes a child.
	// +optional
	DeleteChild *TrialTarget `json:"deleteChild,omitempty"`
	// mark acts as somebody else, and adds an annotation and a finalizer to an object. The
	// subject must keep this finalizer.
	// +optional
	Mark *TrialTarget `json:"mark,omitempty"`
	// take acts as somebody else, and creates an object of the kind and under the name of a
	// child before the subject does. It belongs to another controller, so the subject must leave
	// it alone. It is of a kind that there are bystanders of.
	// +optional
	Take *TrialTarget `json:"take,omitempty"`
	// restart ends all replicas (SIGTERM), and starts them.
	// +optional
	Restart *Empty `json:"restart,omitempty"`
	// failover kills the leader (SIGKILL), and waits until another replica leads. The
	// Subject needs two replicas and leader election. The killed one is started again.
	// +optional
	Failover *Empty `json:"failover,omitempty"`
}

// TrialNamespace stands for the namespace of the Trial, or of the scenario, in the texts of an
// object without a namespace.
const TrialNamespace = "{{ .namespace }}"

// TrialObject is an object that is created in the Trial's own namespace. It may have no
// namespace if the profile serves such a resource.
type TrialObject struct {
	// object with apiVersion, kind and metadata.name. If it has no namespace, the text
	// "{{ .namespace }}" in it stands for the Trial's namespace.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Object apiextensionsv1.JSON `json:"object"`
}

// TrialTarget names an object in the Trial's own namespace.
type TrialTarget struct {
	// resource as plural or plural.group.
	// +kubebuilder:validation:MinLength=1
	Resource string `json:"resource"`
	// name of the object. One * in it stands for any text: the first object in the order
	// of names is meant.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// TrialDrift names an object, and the fields of it that somebody else changes.
type TrialDrift struct {
	TrialTarget `json:",inline"`
	// fields that are changed, one write after the other: First, the first field of its spec
	// that can be changed; All, all but its labels and annotations; Labels, its labels. What
	// the API server refuses, and what the profile declares as not healed, stays as it is.
	// +kubebuilder:default=First
	// +optional
	Fields TrialDriftFields `json:"fields,omitempty"`
}

// TrialDriftFields are the fields of an object that somebody else changes.
//
// +kubebuilder:validation:Enum=First;All;Labels
type TrialDriftFields string

// The fields that somebody else changes.
const (
	DriftFirst  TrialDriftFields = "First"
	DriftAll    TrialDriftFields = "All"
	DriftLabels TrialDriftFields = "Labels"
)

// TrialPatch is a JSON merge patch of an object.
type TrialPatch struct {
	TrialTarget `json:",inline"`
	// subresource that is patched. Left out: the object itself.
	// +kubebuilder:validation:Enum=status
	// +optional
	Subresource string `json:"subresource,omitempty"`
	// patch to merge into the object.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Patch apiextensionsv1.JSON `json:"patch"`
}
