package v1alpha1

// RequestMatch selects requests. An empty list matches everything.
type RequestMatch struct {
	// verbs are logical: a server-side apply that creates is a create, a patch
	// of what exists is an update.
	// +optional
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:items:Enum=get;list;watch;create;update;delete
	Verbs []string `json:"verbs,omitempty"`

	// resources as plural.group: deployments.apps, services, webapps.apps.kubedojo.io.
	// +optional
	Resources []string `json:"resources,omitempty"`

	// subresource such as status. Empty: the object itself and every
	// subresource; "-": the object itself only.
	// +optional
	Subresource string `json:"subresource,omitempty"`

	// names of the objects. A * in one stands for any text.
	// +optional
	Names []string `json:"names,omitempty"`

	// acrossNamespaces selects only those that name no namespace: of objects in all
	// namespaces, or in none.
	// +optional
	AcrossNamespaces bool `json:"acrossNamespaces,omitempty"`
}
