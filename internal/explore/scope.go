package explore

import (
	"slices"
	"strings"

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

// Barred are the cluster-scoped resources that the controller tried to write, that its roles
// allow, and that the bench kept from it. Namespaces are not among them: these nobody may
// write.
func Barred(account history.Account) []string {
	var barred []string
	for _, q := range account.Requests {
		resource := q.GroupResource().String()
		if q.Note == history.NoteClusterScoped && q.Resource != "" && resource != "namespaces" && !slices.Contains(barred, resource) {
			barred = append(barred, resource)
		}
	}
	slices.Sort(barred)
	return barred
}

// askBarredWrites names the cluster-scoped writes that were refused.
func (f *finder) askBarredWrites() {
	if barred := Barred(f.Account); len(barred) > 0 {
		f.ask("install", "clusterWrites: [%s]: it tried to write these, which are cluster-scoped, and the bench refused that. What it then does without is not judged: "+
			"run init again with --cluster-writes %s", strings.Join(barred, ", "), strings.Join(barred, " --cluster-writes "))
	}
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
