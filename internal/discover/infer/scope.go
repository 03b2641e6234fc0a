package infer

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
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

// shared returns the objects of cluster-scoped resources that the controllers of all
// scenarios would share, in words: those that this one changed and whose names say neither
// the namespace nor the UID of a primary object. Each scenario has a namespace of its own,
// and the objects in it have the same names as elsewhere.
func (r *Record) shared(resources []string) []string {
	own := []string{r.Account.Scenario}
	for _, frame := range r.Film {
		if frame.Object.GetKind() == r.Kind && frame.Object.GetUID() != "" {
			own = append(own, string(frame.Object.GetUID()))
		}
	}
	var shared []string
	for _, q := range r.Account.Requests {
		isOwn := slices.ContainsFunc(own, func(part string) bool { return strings.Contains(q.Name, part) })
		generated := q.Name == "" && q.Verb == history.VerbCreate
		if !slices.Contains(resources, q.GroupResource().String()) || q.Effect != history.EffectEffective || isOwn || generated {
			continue
		}
		if name := strings.TrimSpace(q.GroupResource().String() + " " + q.Name); !slices.Contains(shared, name) {
			shared = append(shared, name)
		}
	}
	slices.Sort(shared)
	return shared
}

// FindSharing says whether scenarios must run one at a time, for a controller that may write
// these cluster-scoped resources.
func (r *Record) FindSharing(found *Findings, resources []string) {
	const slower = "one scenario at a time runs it, so a run takes several times as long"
	shared := r.shared(resources)
	if len(shared) > 0 {
		found.Spec.Launch.Serial = true
		found.Notes["launch.serial"] = Note{Seen, fmt.Sprintf("it changed %s, and the name does not say the namespace: all scenarios share that. So %s", strings.Join(shared, ", "), slower)}
	}
	if found.Spec.Launch.Serial {
		return
	}
	found.Asked["launch.serial"] = append(found.Asked["launch.serial"], Question{
		Text: "would scenarios that run at the same time change the same cluster-scoped objects? Then " + slower +
			". It is left out, as each cluster-scoped object that was changed had the namespace in its name, or none was changed",
		Lines: Examples()["launch.serial"],
	})
}

// askBarredWrites names the cluster-scoped writes that were refused.
func (f *finder) askBarredWrites() {
	if barred := Barred(f.Account); len(barred) > 0 {
		f.offer("install.clusterWrites", []string{fmt.Sprintf("clusterWrites: [%s]", strings.Join(barred, ", "))},
			"it tried to write these, which are cluster-scoped, and the bench refused that. What it then does without is not judged: "+
				"run init again with --cluster-writes %s", strings.Join(barred, " --cluster-writes "))
	}
}

// askBarredNamespaces names the namespaces that the controller tried to make.
func (f *finder) askBarredNamespaces() {
	for _, q := range history.Barred(f.Account.Requests) {
		if q.Group == "" && q.Resource == "namespaces" {
			f.ask("install", "it tried to %s namespace %s, and the bench refused that: %s. What it does there is not judged", q.Verb, q.Name, q.BarredRemedy())
		}
	}
}

// findScope tells whether one process serves only one namespace.
func (f *finder) findScope() {
	if f.Served() != "" {
		f.claim(v1alpha1.FeatureNamespaced, Seen, "it asked for the %ss of one namespace, and for no others", f.Kind)
	}
}

// compareScope looks for a controller that serves one namespace without claiming so. It
// would be accused of not serving objects in another one.
func (c *comparison) compareScope() {
	claims := c.claimed.Spec.Claims
	if c.Served() != "" && !slices.Contains(claims.Features, v1alpha1.FeatureNamespaced) {
		c.add("spec.claims.features", "namespaced is not claimed, and it asked for the %ss of one namespace, and for no others", c.Kind)
	}
}
