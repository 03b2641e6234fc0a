package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

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
type ProfileSpec struct {
	// implementation names what the report is about.
	Implementation Implementation `json:"implementation"`
	// contract maps the implementation's objects to the reference contract.
	Contract Contract `json:"contract"`
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

// Contract maps the implementation's objects to the reference contract.
type Contract struct {
	// resource is the primary resource, the one that plays the WebApp.
	Resource PrimaryResource `json:"resource"`

	// spec says where each field of the reference spec lives.
	Spec SpecFields `json:"spec"`

	// status says where each field of the reference status lives. A field that
	// is left out does not exist.
	// +optional
	Status StatusFields `json:"status,omitempty"`

	// base is merged under the spec of every primary object that a scenario
	// creates. Strings in it are templates over .name, the object's name.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Base *apiextensionsv1.JSON `json:"base,omitempty"`

	// children says which objects the controller makes.
	Children Children `json:"children"`

	// defaults are the values that omitted fields of the spec take.
	// +optional
	Defaults Defaults `json:"defaults,omitempty"`

	// bounds are the limits that the schema sets.
	// +optional
	Bounds Bounds `json:"bounds,omitempty"`

	// phases translates the reference phases, where the names differ.
	// +optional
	Phases map[string]string `json:"phases,omitempty"`

	// printerColumns are the names of the columns that kubectl get shows.
	// +optional
	PrinterColumns []string `json:"printerColumns,omitempty"`
}

// PrimaryResource is the resource that plays the WebApp.
type PrimaryResource struct {
	// group of the API.
	// +kubebuilder:validation:MinLength=1
	Group string `json:"group"`
	// version of the API.
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`
	// kind, such as WebApp.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// plural, such as webapps.
	// +kubebuilder:validation:MinLength=1
	Plural string `json:"plural"`
	// scope of the resource. Only namespaced resources can be tested.
	// +kubebuilder:validation:Enum=Namespaced
	// +kubebuilder:default=Namespaced
	// +optional
	Scope string `json:"scope,omitempty"`
}

// SpecFields says where each field of the reference spec lives. A field that is
// left out does not exist.
type SpecFields struct {
	// image of the container.
	// +optional
	Image *Field `json:"image,omitempty"`
	// replicas of the Deployment.
	// +optional
	Replicas *Field `json:"replicas,omitempty"`
	// port of the container and of the Service.
	// +optional
	Port *Field `json:"port,omitempty"`
	// env, a map from variable to value.
	// +optional
	Env *Field `json:"env,omitempty"`
	// configMapRef, an object with the name of a ConfigMap.
	// +optional
	ConfigMapRef *Field `json:"configMapRef,omitempty"`
}

// Field is the place of one field, or the value that it always has.
//
// +kubebuilder:validation:XValidation:rule="has(self.path) != has(self.constant)",message="give either path or constant"
type Field struct {
	// path of the field from the root of the object: spec.replicas.
	// +optional
	// +kubebuilder:validation:Pattern=`^(spec|status)(\.[A-Za-z_][A-Za-z0-9_-]*)+$`
	Path string `json:"path,omitempty"`
	// constant is the value that the implementation always uses.
	// +optional
	Constant *intstr.IntOrString `json:"constant,omitempty"`
}

// StatusFields says where each field of the reference status lives.
type StatusFields struct {
	// readyReplicas counts the ready Pods.
	// +optional
	ReadyReplicas *Field `json:"readyReplicas,omitempty"`
	// phase in one word.
	// +optional
	Phase *Field `json:"phase,omitempty"`
	// serviceURL is the address of the Service.
	// +optional
	ServiceURL *Field `json:"serviceURL,omitempty"`
	// conditions as metav1.Condition.
	// +optional
	Conditions *Field `json:"conditions,omitempty"`
	// observedGeneration is the generation that the status speaks of.
	// +optional
	ObservedGeneration *Field `json:"observedGeneration,omitempty"`
}

// Children says which objects the controller makes.
type Children struct {
	// deployment is the Deployment of a primary object.
	Deployment DeploymentChild `json:"deployment"`
	// service is its Service. Left out where there is none.
	// +optional
	Service *ServiceChild `json:"service,omitempty"`
}

// DeploymentChild is the Deployment that the controller makes.
type DeploymentChild struct {
	// name is a template over .name and .spec of the primary object.
	// +kubebuilder:default="{{ .name }}"
	// +optional
	Name string `json:"name,omitempty"`
	// container is the name of the container that runs the image.
	// +kubebuilder:default=app
	// +optional
	Container string `json:"container,omitempty"`
}

// ServiceChild is the Service that the controller makes.
type ServiceChild struct {
	// name is a template over .name and .spec of the primary object.
	// +kubebuilder:default="{{ .name }}"
	// +optional
	Name string `json:"name,omitempty"`
}

// Defaults are the values that omitted fields take.
type Defaults struct {
	// replicas where none are given.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// port where none is given.
	// +optional
	Port *int32 `json:"port,omitempty"`
}

// Bounds are the limits that the schema sets on the reference fields.
type Bounds struct {
	// replicas from the smallest to the largest allowed.
	// +optional
	Replicas *Range `json:"replicas,omitempty"`
	// port from the smallest to the largest allowed.
	// +optional
	Port *Range `json:"port,omitempty"`
}

// Range is an interval, both ends included.
type Range struct {
	// minimum allowed.
	Minimum int32 `json:"minimum"`
	// maximum allowed.
	Maximum int32 `json:"maximum"`
}

// OwnershipPolicy says what the controller does with an object that has the
// name of a child and that nobody owns.
type OwnershipPolicy string

// The ownership policies.
const (
	OwnershipRefuse OwnershipPolicy = "refuse"
	OwnershipAdopt  OwnershipPolicy = "adopt"
)

// Claims are what the implementation promises.
type Claims struct {
	// features the implementation has. Each makes the requirements that name
	// it apply; `reconform list` shows which.
	// +optional
	// +listType=set
	Features []Feature `json:"features,omitempty"`
	// unowned is what happens to an object with a child's name that nobody owns.
	// +kubebuilder:validation:Enum=refuse;adopt
	// +optional
	Unowned OwnershipPolicy `json:"unowned,omitempty"`
	// cleanup says who removes the children: gc, the garbage collector.
	// +kubebuilder:validation:Enum=gc;controller
	// +kubebuilder:default=gc
	// +optional
	Cleanup string `json:"cleanup,omitempty"`
	// reporting says where a failure shows.
	// +optional
	Reporting *Reporting `json:"reporting,omitempty"`
	// events says which reasons the controller's Events have.
	// +optional
	Events *EventReasons `json:"events,omitempty"`
	// times that the bounds are computed from.
	// +kubebuilder:default={}
	// +optional
	Times Times `json:"times,omitempty"`
	// clientQPS is the client's limit on requests per second; 0: none known.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=0
	// +optional
	ClientQPS int32 `json:"clientQPS,omitempty"`
}

// Feature is something that a controller may or may not have.
//
// +kubebuilder:validation:Enum=service;defaults;port;env;controller-ref;dependency;port-drift;finalizer;retry-after;status;error-reporting;self-recovery;concurrent-workers;child-cache;truthful-readyz;leader-election;lease-release;fenced;phase;conditions;service-url;observed-generation;quiet;events;bounds;printer-columns;loose-schema;described;foreign-fields;sigint;least-privilege;metrics;health;queue-metrics;structured-logs
type Feature string

// Reporting says where a failure shows. Give what there is.
//
// +kubebuilder:validation:MinProperties=1
type Reporting struct {
	// condition that is set while something fails.
	// +optional
	Condition *ReportingCondition `json:"condition,omitempty"`
	// eventReason of the Warning event.
	// +optional
	EventReason string `json:"eventReason,omitempty"`
}

// ReportingCondition is a condition that tells of a failure.
type ReportingCondition struct {
	// type of the condition.
	// +kubebuilder:validation:MinLength=1
	Type string `json:"type"`
	// status that it has while something fails.
	// +kubebuilder:validation:Enum=True;False
	Status string `json:"status"`
}

// EventReasons are the reasons of the controller's Events.
type EventReasons struct {
	// created is the reason for a created child.
	// +optional
	Created string `json:"created,omitempty"`
	// updated is the reason for an updated child.
	// +optional
	Updated string `json:"updated,omitempty"`
	// failed is the reason of the Warning for a failure.
	// +optional
	Failed string `json:"failed,omitempty"`
}

// Times are the periods that the implementation declares.
type Times struct {
	// longestRetryPause between two attempts at what keeps failing.
	// +kubebuilder:default="1000s"
	// +optional
	LongestRetryPause metav1.Duration `json:"longestRetryPause,omitempty"`
	// resync period of its caches; 0: none.
	// +optional
	Resync metav1.Duration `json:"resync,omitempty"`
	// lease timings of the leader election.
	// +optional
	Lease *LeaseTimes `json:"lease,omitempty"`
	// shutdownGrace is how long it may take to end after SIGTERM.
	// +kubebuilder:default="30s"
	// +optional
	ShutdownGrace metav1.Duration `json:"shutdownGrace,omitempty"`
}

// LeaseTimes are the timings of the leader election.
type LeaseTimes struct {
	// duration of the lease.
	Duration metav1.Duration `json:"duration"`
	// renewDeadline after which a leader that cannot renew gives up.
	RenewDeadline metav1.Duration `json:"renewDeadline"`
	// retryPeriod between two attempts.
	RetryPeriod metav1.Duration `json:"retryPeriod"`
}

// Install is what the control plane needs before the controller starts: files,
// or folders whose YAML files are read, relative to the profile.
type Install struct {
	// crds of the implementation.
	// +kubebuilder:validation:MinItems=1
	CRDs []string `json:"crds"`
	// rbac are its own ClusterRoles and Roles, as it ships them. Bindings and
	// ServiceAccounts in them are passed over: the bench binds its own.
	// +kubebuilder:validation:MinItems=1
	RBAC []string `json:"rbac"`
	// setup are other objects that it needs, made once.
	// +optional
	Setup []string `json:"setup,omitempty"`
}

// Launch says how one replica is started. Strings are templates over
// .namespace and .ports.NAME.
type Launch struct {
	// command is the program and its arguments. A program with a slash is
	// relative to the profile, one without is looked up on the PATH.
	// +kubebuilder:validation:MinItems=1
	Command []string `json:"command"`
	// directory that it is started in and may read, relative to the profile.
	// Empty: a scratch one.
	// +optional
	Directory string `json:"directory,omitempty"`
	// env is added to an otherwise clean environment.
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// ports to find for each replica, by name.
	// +optional
	// +listType=set
	Ports []string `json:"ports,omitempty"`
	// ready says when a replica counts as ready.
	// +optional
	Ready Readiness `json:"ready,omitempty"`
	// leaderElection says how it is switched on and off, and where the Lease
	// is. Left out where there is none.
	// +optional
	LeaderElection *LaunchLeaderElection `json:"leaderElection,omitempty"`
	// onePerNamespace: the controller serves one primary object in a namespace.
	// +optional
	OnePerNamespace bool `json:"onePerNamespace,omitempty"`
	// serial: only one scenario at a time may run it, for a fixed port or a
	// Lease in a fixed namespace, say.
	// +optional
	Serial bool `json:"serial,omitempty"`
}

// Readiness says when a replica counts as ready. Empty: once it has opened a
// watch of the primary resource.
type Readiness struct {
	// httpGet is ready when it answers 200.
	// +optional
	HTTPGet *HTTPGet `json:"httpGet,omitempty"`
}

// HTTPGet is a probe on a port of the replica's.
type HTTPGet struct {
	// port by its name in launch.ports.
	// +kubebuilder:validation:MinLength=1
	Port string `json:"port"`
	// path such as /readyz.
	// +kubebuilder:validation:Pattern=`^/`
	Path string `json:"path"`
}

// LaunchLeaderElection says how leader election is switched on and off.
type LaunchLeaderElection struct {
	// on are the arguments that switch it on.
	// +optional
	On []string `json:"on,omitempty"`
	// off are the arguments that switch it off.
	// +optional
	Off []string `json:"off,omitempty"`
	// lease that the replicas compete for.
	Lease LeaseName `json:"lease"`
}

// LeaseName says where the Lease is.
type LeaseName struct {
	// name of the Lease.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// namespace of the Lease. Empty: the one that the replica runs in.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}
