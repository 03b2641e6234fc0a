package v1alpha1

// Rights that the manifests of an implementation ask for, and that are too many.
type Rights struct {
	// broad rules name everything, or Secrets.
	Broad []string `json:"broad,omitempty"`
	// unused are the rights to write that no request used.
	Unused []UnusedRights `json:"unused,omitempty"`
}

// UnusedRights of one rule of a role.
type UnusedRights struct {
	// rule of the role, with the name of the role.
	Rule string `json:"rule"`
	// rights that are not used, such as "create of services".
	Rights []string `json:"rights"`
}
