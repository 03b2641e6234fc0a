package visit

import (
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

// Plan of a visit.
type Plan struct {
	// Profile with which the controller is started.
	Profile *profile.Profile
	// CRD of the resource, and the version in which objects are written.
	CRD     *apiextensionsv1.CustomResourceDefinition
	Version *apiextensionsv1.CustomResourceDefinitionVersion
	// Spec returns a whole spec for an object with this name. The fields that decide about
	// children are known for all objects except the first.
	Spec func(name string, known infer.Known) map[string]any
	// Lean returns the smallest spec that may be enough for an object; nil if that is not
	// tried.
	Lean func(name string, known infer.Known) map[string]any
	// Around returns what an object with this name has besides its spec: other fields of its
	// root, and labels and annotations. It may be nil.
	Around func(name string) map[string]any
	// Name of all objects. It is empty if any name is allowed.
	Name string
	// OwnName is tried if an object with another name is refused, or the controller makes
	// nothing for it. If it is empty, no other name is tried.
	OwnName string
	// Rehearse tries what scenarios will write, and takes back from the profile what does not
	// work.
	Rehearse bool
	// Beside are other objects that must exist. HasNoNamespace is called with those of them that
	// have no namespace; it may be nil.
	Beside         []*unstructured.Unstructured
	HasNoNamespace func(*unstructured.Unstructured)
	// Command as the user gave it.
	Command []string
	// Election is true if leader election is on.
	Election bool
	// Until is when the visit is over; zero if it has no time limit.
	Until time.Time
	// Console shows the progress.
	Console *report.Console
}

// Plan returns the plan of the visit.
func (g *Given) Plan(draft *profile.Profile, console *report.Console) Plan {
	return Plan{
		Profile: draft, CRD: g.CRD, Version: g.Version, Beside: g.Beside, Command: g.Command, Console: console,
		Spec: g.spec, Lean: g.lean, Around: g.around, OwnName: g.Sample.GetName(), Rehearse: true,
		HasNoNamespace: func(object *unstructured.Unstructured) { g.cluster = append(g.cluster, object) },
	}
}

// around returns what the sample has besides its spec, without fields of the API server and
// of kubectl.
func (g *Given) around(string) map[string]any {
	return aroundSpec(g.Sample)
}

func aroundSpec(sample *unstructured.Unstructured) map[string]any {
	around := runtime.DeepCopyJSON(sample.Object)
	for _, key := range []string{"apiVersion", "kind", "metadata", "spec", "status"} {
		delete(around, key)
	}
	annotations := sample.GetAnnotations()
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	metadata := profile.Metadata(sample.GetLabels(), annotations)
	if len(metadata) > 0 {
		around["metadata"] = metadata
	}
	return around
}

// spec returns the spec of the sample, with its own name for the main child.
func (g *Given) spec(name string, known infer.Known) map[string]any {
	object := map[string]any{"spec": map[string]any{}}
	if spec, ok := g.Sample.Object["spec"].(map[string]any); ok {
		object["spec"] = spec
	}
	if field := known[infer.RoleDeploymentName]; field.Path != "" {
		object = infer.With(object, field.Path, name+"-app")
	}
	if field := known[infer.RoleReplicas]; infer.FormatOf(field.To) != "" {
		object = infer.With(object, field.Path, field.To) // as scenarios will write it
	}
	spec, _ := object["spec"].(map[string]any)
	spec = runtime.DeepCopyJSON(spec)
	if g.isClusterScoped() {
		inNamespace("spec", spec)
	}
	return spec
}

// inNamespace returns the value of the field with this key, with the namespace of the visit
// filled in: in each field below it whose key ends with namespace, and where a text has the
// template {{ .namespace }}. The controller sees no other namespace. Maps and lists are
// changed.
func inNamespace(key string, value any) any {
	const word = "namespace"
	switch v := value.(type) {
	case string:
		if strings.HasSuffix(strings.ToLower(key), word) {
			return Namespace
		}
		return strings.ReplaceAll(v, v1alpha1.TrialNamespace, Namespace)
	case map[string]any:
		for name, below := range v {
			v[name] = inNamespace(name, below)
		}
	case []any:
		of := ""
		if len(v) == 1 && strings.HasSuffix(strings.ToLower(key), word+"s") {
			of = word
		}
		for i, item := range v {
			v[i] = inNamespace(of, item)
		}
	}
	return value
}

// lean returns what the CRD requires, and the fields that decide about the children.
func (g *Given) lean(name string, known infer.Known) map[string]any {
	full := map[string]any{"spec": g.spec(name, known)}
	object := map[string]any{"spec": infer.Required(profile.SchemaAt(g.Version, "spec"), full["spec"].(map[string]any))}
	for _, field := range known {
		if value := infer.At(full, field.Path); value != nil {
			object = infer.With(object, field.Path, value)
		}
	}
	spec, _ := object["spec"].(map[string]any)
	return spec
}
