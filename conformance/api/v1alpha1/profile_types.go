package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Profile describes one implementation: how its contract maps to the reference
// one, what it claims, how it is installed and how it is started. It is a file;
// paths in it are relative to the file.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
type Profile struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ProfileSpec `json:"spec"`
}

// ProfileSpec is the description.
//
// +kubebuilder:validation:XValidation:rule="has(self.contract) != has(self.serves)",message="give either contract, if the controller is like a web app, or serves, if it is not"
type ProfileSpec struct {
	// implementation names what the report is about.
	Implementation Implementation `json:"implementation"`
	// contract maps the implementation's objects to the reference contract. Left out for a
	// controller that is not like it: then serves says what it serves.
	// +optional
	Contract Contract `json:"contract,omitzero"`
	// serves are the resources that the controller serves, for a profile without a contract.
	// Requirements are judged with the first one.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Serves []Served `json:"serves,omitempty"`
	// claims are what the implementation promises beyond the core requirements,
	// and the times that every bound is computed from.
	// +kubebuilder:default={}
	// +optional
	Claims Claims `json:"claims,omitempty"`
	// install is what the control plane needs before the controller starts.
	Install Install `json:"install"`
	// launch says how one replica is started.
	Launch Launch `json:"launch"`
}

// Implementation names what the report is about.
type Implementation struct {
	// name of the controller.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// version under test.
	// +optional
	Version string `json:"version,omitempty"`
	// url of the project.
	// +optional
	URL string `json:"url,omitempty"`
	// description in a sentence.
	// +optional
	Description string `json:"description,omitempty"`
}
