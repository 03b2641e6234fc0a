package v1alpha1

// LaunchInCluster says how a controller is shipped. Each replica is a Pod of a copy of
// its Deployment, in the namespace .namespace, with the arguments and variables that
// leaderElection and namespaced add.
type LaunchInCluster struct {
	// manifests with its Deployment, relative to the profile: files or folders. Of a folder,
	// the kustomization is read, or all YAML files. Other objects in them are left alone: what
	// else it needs is in install.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:MinLength=1
	Manifests []string `json:"manifests"`
	// deployment by its name. Left out: the only one in the manifests.
	// +optional
	Deployment string `json:"deployment,omitempty"`
	// container that is the controller. Left out: the only one of the Deployment.
	// +optional
	Container string `json:"container,omitempty"`
	// image of this container. Left out: the one in the manifests.
	// +optional
	Image string `json:"image,omitempty"`
	// args are added to those of the container.
	// +optional
	Args []string `json:"args,omitempty"`
	// ports are those of launch.ports and launch.fixedPorts, with the numbers that the container has for them.
	// +optional
	Ports map[string]int32 `json:"ports,omitempty"`
}
