package explore

import (
	"slices"

	"reconform.dev/reconform/internal/history"
)

// Served is the one namespace for whose objects the controller asked; empty where it
// asked for those of several, or of all.
func (r *Record) Served() string {
	served := ""
	for _, q := range r.Account.Requests {
		isOwn := q.Group == r.CRD.Spec.Group && q.Resource == r.CRD.Spec.Names.Plural
		if !isOwn || q.Verb != history.VerbList && q.Verb != history.VerbWatch || !q.Succeeded() {
			continue
		}
		if q.Namespace == "" || served != "" && q.Namespace != served {
			return ""
		}
		served = q.Namespace
	}
	return served
}

// findScope tells whether one process serves one namespace.
func (f *finder) findScope() {
	if f.Served() != "" {
		f.claim("namespaced", Seen, "it asked for the %ss of one namespace, and for no others", f.Kind)
	}
}

// compareScope looks for who serves one namespace and does not say so: it would be
// accused of what is in another.
func (c *comparison) compareScope() {
	claims := c.claimed.Spec.Claims
	if c.Served() != "" && !slices.Contains(claims.Features, "namespaced") {
		c.add("spec.claims.features", "namespaced is not claimed, and it asked for the %ss of one namespace, and for no others", c.Kind)
	}
}
