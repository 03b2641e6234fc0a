package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Snapshot is a digest of the objects of the scenario at one moment, without
// what differs between any two runs (UIDs, times, resourceVersions). Two
// Snapshots compare the outcome of two histories. It is not taken while the controller has
// to try again what failed, so wait for its verdict.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.status.objects`
// +kubebuilder:printcolumn:name="Digest",type=string,JSONPath=`.status.digest`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Snapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:default={within: {plus: "20s"}}
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a snapshot cannot be changed: create another"
	Spec   SnapshotSpec   `json:"spec,omitempty"`
	Status SnapshotStatus `json:"status,omitempty"`
}

// SnapshotSpec says what is in the digest.
type SnapshotSpec struct {
	// resources as plural or plural.group: webapps.apps.kubedojo.io,
	// deployments.apps, services. Left out: the kinds of the contract.
	// +optional
	Resources []string `json:"resources,omitempty"`

	// names of the objects. Left out: all in the Snapshot's namespace.
	// +optional
	Names []string `json:"names,omitempty"`

	// compare names another Snapshot in the namespace: this one is taken again and
	// again until it is the Same, or within has passed. If the other Snapshot has a
	// status of a WebApp that was behind its Deployment's, that status is not compared.
	// +optional
	Compare string `json:"compare,omitempty"`

	// within is how long the objects may take to become the same.
	// +kubebuilder:default={plus: "20s"}
	Within TimeBound `json:"within,omitempty"`
}

// SnapshotPhase says what a Snapshot has found.
type SnapshotPhase string

// The phases of a Snapshot.
const (
	// SnapshotWaiting is not taken yet: a write has failed, and the controller's next attempt
	// is due.
	SnapshotWaiting SnapshotPhase = "Waiting"
	// SnapshotTaken has its digest, and nothing to compare it with.
	SnapshotTaken SnapshotPhase = "Taken"
	// SnapshotComparing differs, so far.
	SnapshotComparing SnapshotPhase = "Comparing"
	// SnapshotSame has the same digest as the other.
	SnapshotSame SnapshotPhase = "Same"
	// SnapshotDifferent has another one.
	SnapshotDifferent SnapshotPhase = "Different"
	// SnapshotInvalid can never be taken; the message says why.
	SnapshotInvalid SnapshotPhase = "Invalid"
)

// SnapshotStatus is the digest.
type SnapshotStatus struct {
	// phase of the Snapshot.
	// +optional
	Phase SnapshotPhase `json:"phase,omitempty"`
	// verdict is Met if it was taken, or is the same as the other.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says what is wrong with it, or how it differs.
	// +optional
	Message string `json:"message,omitempty"`
	// owed is a write that had failed when it was taken, and the next attempt might still
	// come. If another Snapshot differs from this one, that may be why, so it is Invalid.
	// +optional
	Owed string `json:"owed,omitempty"`
	// objects in the digest.
	Objects int32 `json:"objects"`
	// digest of all objects.
	// +optional
	Digest string `json:"digest,omitempty"`
	// content of the digest, as JSON: what another Snapshot is compared with.
	// +optional
	Content string `json:"content,omitempty"`
	// differences from the other, the first 50: object, path, and both values.
	// +optional
	Differences []string `json:"differences,omitempty"`
}

// SnapshotList is a list of Snapshots.
//
// +kubebuilder:object:root=true
type SnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Snapshot `json:"items"`
}
