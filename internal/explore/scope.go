package explore

import (
	"slices"
	"strings"

	"reconform.dev/reconform/internal/history"
)

// Served returns the one namespace whose objects the controller asked for, or "" if it
// asked for those of several namespaces, or of all.
func (r *Record) Served() string {
	served := ""
	for _, q := range r.Account.Requests {
		if !r.isPrimary(q) || q.Verb != history.VerbList && q.Verb != history.VerbWatch || !q.Succeeded() {
			continue
		}
		if q.Namespace == "" || served != "" && q.Namespace != served {
			return ""
		}
		served = q.Namespace
	}
	return served
}

// Barred returns the cluster-scoped resources that the controller tried to write, that its
// roles allow, and that the bench refused. Namespaces are not among them, because no
// controller may write these.
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

// findScope tells whether one process serves only one namespace.
func (f *finder) findScope() {
	if f.Served() != "" {
		f.claim("namespaced", Seen, "it asked for the %ss of one namespace, and for no others", f.Kind)
	}
}

// compareScope looks for a controller that serves one namespace without claiming so. It
// would be accused of not serving objects in another one.
func (c *comparison) compareScope() {
	claims := c.claimed.Spec.Claims
	if c.Served() != "" && !slices.Contains(claims.Features, "namespaced") {
		c.add("spec.claims.features", "namespaced is not claimed, and it asked for the %ss of one namespace, and for no others", c.Kind)
	}
}
