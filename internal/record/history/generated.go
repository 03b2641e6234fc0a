package history

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// madeUp is how many letters the API server adds to a metadata.generateName.
	madeUp = 5
	// longestPrefix is how much of a metadata.generateName it takes.
	longestPrefix = 63 - madeUp
)

// GeneratedName returns the name that the API server makes of a metadata.generateName, with
// a question mark for each letter that it makes up. It is the same in each run.
func GeneratedName(prefix string) string {
	return prefix[:min(len(prefix), longestPrefix)] + strings.Repeat("?", madeUp)
}

// MadeUpName returns what an object of a resource, plural.group, is called in each run, or ""
// if somebody chose its name. The API server makes up names with a generateName: those of
// Pods, for example. Controllers of Kubernetes make up those of ReplicaSets, of revisions and of
// the Jobs of a CronJob, from a hash or a time, and a Pod has them in its own name.
func MadeUpName(resource string, object metav1.ObjectMeta) string {
	if given := object.GenerateName; given != "" {
		called := GeneratedName(given)
		if len(called) != len(object.Name) || !strings.HasPrefix(object.Name, strings.TrimRight(called, "?")) {
			return "" // somebody else chose it
		}
		if hash := object.Labels["pod-template-hash"]; hash != "" {
			return strings.Replace(called, "-"+hash+"-", "-<hash>-", 1)
		}
		return called
	}
	owner := metav1.GetControllerOfNoCopy(&object)
	if owner == nil {
		return ""
	}
	ending, follows := strings.CutPrefix(object.Name, owner.Name+"-")
	switch {
	case !follows || ending == "":
		return ""
	case resource == "replicasets.apps" && owner.Kind == "Deployment" && ending == object.Labels["pod-template-hash"],
		resource == "controllerrevisions.apps" && (owner.Kind == "StatefulSet" || owner.Kind == "DaemonSet"):
		return owner.Name + "-<hash>"
	case resource == "jobs.batch" && owner.Kind == "CronJob" && strings.Trim(ending, "0123456789") == "":
		return owner.Name + "-<time>"
	}
	return ""
}

// Generated says what objects are called in each run, by the names that the API server made up
// for them. Both are written as plural.group and name.
type Generated map[string]string

// GeneratedIn returns the names that the API server made up for the objects that were
// created.
func GeneratedIn(requests []Request) Generated {
	found := Generated{}
	for _, q := range requests {
		if q.GenerateName != "" && q.Name != "" && q.Verb == VerbCreate {
			found[q.about(q.Name)] = q.about(GeneratedName(q.GenerateName))
		}
	}
	return found
}

// Name returns what the object of a request is called in each run.
func (g Generated) Name(q Request) string {
	if q.GenerateName != "" {
		return GeneratedName(q.GenerateName)
	}
	if stable, ok := g[q.about(q.Name)]; ok {
		return strings.TrimPrefix(stable, q.about(""))
	}
	return q.Name
}

// Object returns what an object is called in each run. Both are written as plural.group and name.
func (g Generated) Object(object string) string {
	if stable, ok := g[object]; ok {
		return stable
	}
	return object
}

func (r Request) about(name string) string { return r.GroupResource().String() + " " + name }

// named is the name by which a request is selected. A create whose name the API server has
// yet to make up has one that matches what [GeneratedName] returns.
func (r Request) named() string {
	if r.Name == "" && r.GenerateName != "" {
		return strings.ReplaceAll(GeneratedName(r.GenerateName), "?", "x")
	}
	return r.Name
}
