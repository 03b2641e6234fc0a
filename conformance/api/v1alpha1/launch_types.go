package v1alpha1

// Install is what the control plane needs before the controller starts: files,
// or folders whose YAML files are read, relative to the profile.
type Install struct {
	// crds of the implementation.
	// +kubebuilder:validation:MinItems=1
	CRDs []string `json:"crds"`
	// rbac are its own roles and their bindings, as it ships them. It gets the roles
	// that are bound to its ServiceAccount, to its User or to one of its Groups, and no
	// others. A ClusterRoleBinding gives a role in all namespaces, and a RoleBinding in
	// the namespace of the controller. If the RoleBinding is in another namespace than
	// the ServiceAccount, it gives the role also in the namespaces that are served. If
	// there is no binding at all, the controller gets all roles.
	// +kubebuilder:validation:MinItems=1
	RBAC []string `json:"rbac"`
	// serviceAccount of the manifests that it runs as, or namespace/name. Left out: the
	// only one that their bindings name, or that of their only Deployment.
	// +optional
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// inServedNamespace: it lives in the namespace that it serves. A controller that
	// serves only its own namespace needs this. Left out: it has a namespace of its own,
	// whose name is that of the served one, and -home.
	// +optional
	InServedNamespace bool `json:"inServedNamespace,omitempty"`
	// clusterWrites are cluster-scoped resources that it may write, as far as its
	// roles let it: resource.group, such as
	// customresourcedefinitions.apiextensions.k8s.io for one that installs its own.
	// All scenarios that run side by side share these objects. Other such writes are
	// refused.
	// +optional
	// +listType=set
	ClusterWrites []string `json:"clusterWrites,omitempty"`
	// webhooks are its ValidatingWebhookConfigurations and
	// MutatingWebhookConfigurations, as it ships them, with the Service of each
	// clientConfig. While it serves a namespace, the API server asks it about the objects
	// there; if no replica answers, and none was cut off, every request passes.
	// +optional
	Webhooks []string `json:"webhooks,omitempty"`
	// setup are other objects that it needs. They are created once. An object that
	// belongs in a namespace and names none is created in the controller's own, and in
	// each one that it serves.
	// +optional
	Setup []string `json:"setup,omitempty"`
	// nodeResources are extended resources that each Node of the local control plane has,
	// because its Pods ask for them: such as nvidia.com/gpu, and how many.
	// +optional
	NodeResources map[string]int64 `json:"nodeResources,omitempty"`
	// values are files with values of Helm charts that are named above, the later over
	// the earlier, and all over the chart's own.
	// +optional
	Values []string `json:"values,omitempty"`
}

// Launch says how one replica is started. Strings are templates over .namespace, which
// it lives in, .served, the namespaces that it serves, separated by commas,
// .ports.NAME, and, with webhook, .certificates. In command and env there is also
// .kubeconfig, the file that KUBECONFIG names. For plain {{ in a string, write {{"{{"}}.
type Launch struct {
	// command is the program and its arguments. A program with a slash is
	// relative to the profile, one without is looked up on the PATH. Required, unless
	// inCluster is given: a controller that is only an image runs only as Pods.
	// +optional
	// +kubebuilder:validation:MinItems=1
	Command []string `json:"command,omitempty"`
	// directory that it is started in and may read, relative to the profile.
	// Empty: a scratch one.
	// +optional
	Directory string `json:"directory,omitempty"`
	// readable are other folders that it may read, relative to the profile: a virtual
	// environment, or modules that lie elsewhere.
	// +optional
	// +listType=set
	// +kubebuilder:validation:items:MinLength=1
	Readable []string `json:"readable,omitempty"`
	// network are the addresses that it needs to reach, apart from the API server, as
	// host:port. A replica has a network of its own, where nothing else answers.
	// +optional
	// +listType=set
	// +kubebuilder:validation:items:MinLength=1
	Network []string `json:"network,omitempty"`
	// env is added to an otherwise clean environment.
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// ports to find for each replica, by name.
	// +optional
	// +listType=set
	Ports []string `json:"ports,omitempty"`
	// fixedPorts are ports that it always listens on, because it cannot be given others,
	// by name. If replicas have no network of their own, only one can run at a time.
	// +optional
	FixedPorts map[string]int32 `json:"fixedPorts,omitempty"`
	// ready says when a replica counts as ready.
	// +optional
	Ready Readiness `json:"ready,omitempty"`
	// endpoints say where metrics and health are served.
	// +optional
	Endpoints Endpoints `json:"endpoints,omitempty"`
	// webhook says where it serves webhooks. Left out if it does not.
	// +optional
	Webhook *LaunchWebhook `json:"webhook,omitempty"`
	// leaderElection says how it is switched on and off, and where the Lease
	// is. Left out if the controller has no leader election.
	// +optional
	LeaderElection *LaunchLeaderElection `json:"leaderElection,omitempty"`
	// namespaced says how it is told to serve the namespaces .served and no others.
	// Left out: it cannot be told, or always does.
	// +optional
	Namespaced *LaunchNamespaced `json:"namespaced,omitempty"`
	// onePerNamespace: the controller serves one primary object in a namespace.
	// Scenarios that have two in one are skipped.
	// +optional
	OnePerNamespace bool `json:"onePerNamespace,omitempty"`
	// serial: only one scenario at a time may run it, for example because its Lease is
	// in a fixed namespace.
	// +optional
	Serial bool `json:"serial,omitempty"`
	// inCluster says how it is shipped: reconform run --in-cluster runs it so, as Pods.
	// +optional
	InCluster *LaunchInCluster `json:"inCluster,omitempty"`
}

// Readiness says when a replica counts as ready. Empty: once it has opened a
// watch of the primary resource.
type Readiness struct {
	// httpGet is ready when it answers 200.
	// +optional
	HTTPGet *HTTPGet `json:"httpGet,omitempty"`
}

// HTTPGet is a probe on a port of the replica.
type HTTPGet struct {
	// port by its name in launch.ports or launch.fixedPorts.
	// +kubebuilder:validation:MinLength=1
	Port string `json:"port"`
	// path such as /readyz.
	// +kubebuilder:validation:Pattern=`^/`
	Path string `json:"path"`
	// scheme of its URL; left out: http. Any certificate is accepted.
	// +optional
	// +kubebuilder:validation:Enum=http;https
	Scheme string `json:"scheme,omitempty"`
}

// Endpoints say where a replica serves what is read from outside.
type Endpoints struct {
	// metrics in Prometheus' text format. Left out: /metrics on the port named
	// metrics, if there is one.
	// +optional
	Metrics *Endpoint `json:"metrics,omitempty"`
	// health, which answers 200 while the process works. Left out: /healthz on
	// the port named health, if there is one.
	// +optional
	Health *Endpoint `json:"health,omitempty"`
}

// Endpoint is a page on a port of the replica.
type Endpoint struct {
	// port by its name in launch.ports or launch.fixedPorts.
	// +kubebuilder:validation:MinLength=1
	Port string `json:"port"`
	// path. Left out: /metrics or /healthz.
	// +optional
	// +kubebuilder:validation:Pattern=`^/`
	Path string `json:"path,omitempty"`
	// scheme of its URL. Any certificate is accepted. If the page needs a token, the bench
	// sends that of a ServiceAccount of its own that may get this path.
	// +optional
	// +kubebuilder:default=http
	// +kubebuilder:validation:Enum=http;https
	Scheme string `json:"scheme,omitempty"`
}

// LaunchWebhook says where a replica serves webhooks. The folder
// .certificates has what it needs for that: tls.crt and tls.key, valid for 127.0.0.1.
type LaunchWebhook struct {
	// port by its name in launch.ports or launch.fixedPorts.
	// +kubebuilder:validation:MinLength=1
	Port string `json:"port"`
	// conversion is the path at which it converts its primary objects between the
	// versions of their CRD, which need not name a webhook. If no replica answers, an
	// object gets the name of the other version and is otherwise left as it is.
	// +optional
	// +kubebuilder:validation:Pattern=`^/`
	Conversion string `json:"conversion,omitempty"`
}

// LaunchLeaderElection says how leader election is switched on and off.
type LaunchLeaderElection struct {
	// enabled are the arguments that switch it on.
	// +optional
	Enabled []string `json:"enabled,omitempty"`
	// disabled are the arguments that switch it off.
	// +optional
	Disabled []string `json:"disabled,omitempty"`
	// lease that the replicas compete for.
	Lease LeaseName `json:"lease"`
}

// LaunchNamespaced says how a controller is told to serve only some namespaces.
//
// +kubebuilder:validation:MinProperties=1
type LaunchNamespaced struct {
	// args are added to the command.
	// +optional
	Args []string `json:"args,omitempty"`
	// env is added to the environment.
	// +optional
	Env map[string]string `json:"env,omitempty"`
}

// LeaseName says where the Lease is.
type LeaseName struct {
	// name of the Lease.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// namespace of the Lease. Empty: the one that the replica lives in.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}
