package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WebApp runs an image as a web application: a Deployment and a Service, both
// named like the WebApp.
//
// The name becomes the name of a Service and the value of a label, so it must
// be a DNS label that starts with a letter.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=wa
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.serviceURL`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$')",message="metadata.name must be at most 63 lower case letters, digits and '-', start with a letter and end with a letter or digit"
type WebApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the application as it should be.
	Spec WebAppSpec `json:"spec"`

	// status is the application as the controller last saw it.
	// +optional
	Status WebAppStatus `json:"status,omitempty"`
}

// WebAppSpec is the application as it should be.
type WebAppSpec struct {
	// image is the container image to run.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^\S+$`
	Image string `json:"image"`

	// replicas is the number of Pods to run.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +kubebuilder:default=2
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// port is the TCP port that the container listens on, and that the Service
	// offers.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +kubebuilder:default=8080
	// +optional
	Port int32 `json:"port,omitempty"`

	// env is the environment of the container: values by variable name. Names
	// consist of letters, digits and '_', and do not start with a digit.
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*$'))",message="names of environment variables consist of letters, digits and '_', and do not start with a digit"
	// +optional
	Env map[string]string `json:"env,omitempty"`

	// configMapRef names a ConfigMap of the same namespace whose keys become
	// environment variables too. Where both set a variable, env wins. A change
	// of the ConfigMap rolls the Pods.
	// +optional
	ConfigMapRef *ConfigMapReference `json:"configMapRef,omitempty"`
}

// ConfigMapReference names a ConfigMap of the WebApp's namespace.
type ConfigMapReference struct {
	// name of the ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
}

// WebAppStatus is the application as the controller last saw it.
type WebAppStatus struct {
	// observedGeneration is the metadata.generation of the spec that this
	// status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// readyReplicas is the number of Pods that are ready.
	// +kubebuilder:default=0
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// phase sums up the conditions in one word.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// serviceURL is where clients in the cluster reach the application.
	// +optional
	ServiceURL string `json:"serviceURL,omitempty"`

	// conditions are Available, Progressing and Degraded.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Phase sums up the conditions of a WebApp in one word.
//
// +kubebuilder:validation:Enum=Pending;Deploying;Running;Degraded
type Phase string

const (
	// PhasePending means that the Deployment has not been taken up yet.
	PhasePending Phase = "Pending"
	// PhaseDeploying means that Pods of this generation are still missing.
	PhaseDeploying Phase = "Deploying"
	// PhaseRunning means that all Pods of this generation are ready, and no
	// others are left.
	PhaseRunning Phase = "Running"
	// PhaseDegraded means that something keeps the application from being as
	// specified; the Degraded condition says what.
	PhaseDegraded Phase = "Degraded"
)

// Types of a WebApp's conditions.
const (
	// ConditionAvailable is true while the application is as specified: all
	// Pods of this generation are ready, and no others are left.
	ConditionAvailable = "Available"
	// ConditionProgressing is true while a rollout is under way.
	ConditionProgressing = "Progressing"
	// ConditionDegraded is true while something keeps the application from
	// being as specified.
	ConditionDegraded = "Degraded"
)

// WebAppList is a list of WebApps.
//
// +kubebuilder:object:root=true
type WebAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []WebApp `json:"items"`
}
