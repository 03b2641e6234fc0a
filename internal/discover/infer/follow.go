package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Role of a field of the primary object: what it decides about in the children.
type Role string

// The roles. Each is named as in the profile.
const (
	RoleImage          Role = "image"
	RoleReplicas       Role = "replicas"
	RolePort           Role = "port"
	RoleServicePort    Role = "servicePort"
	RoleEnv            Role = "env"
	RoleConfigMapRef   Role = "configMapRef"
	RoleDeploymentName Role = "deploymentName"
)

// Effect of a change: a field of a child that has the new value since.
type Effect struct {
	Child Ref
	Path  string // spec.replicas; empty if the child is new and has the value as its name
	Role  Role
}

// Effects returns the effects of a change of a field: what in the children took its value.
func (r *Record) Effects(a Act) []Effect {
	before, after := r.Film.At(a.After), r.Film.At(a.Until)
	var effects []Effect
	for _, ref := range sortedRefs(after) {
		if ref.Kind == r.Kind || ref.Kind == "Event" {
			continue
		}
		was, is := before[ref], after[ref]
		if was == nil {
			if r.IsWorkload(ref.Kind) && same(ref.Name, a.To) && r.isMade(a, is) {
				effects = append(effects, Effect{ref, "", RoleDeploymentName})
			}
			continue
		}
		for _, leaf := range Leaves(is.Object["spec"], "spec") {
			if same(leaf.Value, At(was.Object, leaf.Path)) {
				continue
			}
			if role := r.roleOf(leaf, a, is); role != "" {
				effects = append(effects, Effect{ref, leaf.Path, role})
			}
		}
	}
	return effects
}

func (r *Record) isMade(a Act, object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(r.madeDuring(a), func(o *unstructured.Unstructured) bool { return o.GetUID() == object.GetUID() })
}

var (
	ofPort    = regexp.MustCompile(`^ports\[\d+\]\.containerPort$`)
	ofEnv     = regexp.MustCompile(`^env\[\d+\]\.name$`)
	ofService = regexp.MustCompile(`^spec\.ports\[\d+\]\.(port|targetPort)$`)
)

// roleOf returns the role of a field of a child that has changed, or "" if it does not show
// the value.
func (r *Record) roleOf(leaf Leaf, a Act, child *unstructured.Unstructured) Role {
	w, ok := r.workload(child.GetKind())
	index, field, inside := inContainer(w, leaf.Path)
	switch {
	case child.GetKind() == "Service" && ofService.MatchString(leaf.Path) && same(leaf.Value, a.To):
		return RoleServicePort
	case !ok:
		return ""
	case leaf.Path == w.Replicas && same(leaf.Value, a.To):
		return RoleReplicas
	case !inside:
		return ""
	case field == "image" && same(leaf.Value, a.To):
		return RoleImage
	case ofPort.MatchString(field) && same(leaf.Value, a.To):
		return RolePort
	case ofEnv.MatchString(field) && holdsProbe(a.To) && hasVariable(r.podTemplate(child), index, probeVariable):
		return RoleEnv
	}
	return ""
}

// probeVariable is a variable that no controller sets by itself.
const probeVariable = "RECONFORM_LOOK"

// holdsProbe tells whether a value holds the variable of the probe: as a key of a map,
// or as the name of an element of a list.
func holdsProbe(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		_, ok := v[probeVariable]
		return ok
	case []any:
		return slices.ContainsFunc(v, func(item any) bool {
			variable, _ := item.(map[string]any)
			return variable["name"] == probeVariable
		})
	}
	return false
}

// hasVariable tells whether a container of a Pod template has an environment variable.
func hasVariable(template map[string]any, container, name string) bool {
	env, _ := At(template, "spec.containers["+container+"].env").([]any)
	return slices.ContainsFunc(env, func(item any) bool {
		variable, _ := item.(map[string]any)
		return variable["name"] == name
	})
}

func sortedRefs(objects map[Ref]*unstructured.Unstructured) []Ref {
	refs := make([]Ref, 0, len(objects))
	for ref := range objects {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b Ref) int { return strings.Compare(a.String(), b.String()) })
	return refs
}

// templateChanged tells whether an act changed the Pod template of a workload.
func (r *Record) templateChanged(a Act) bool {
	before, after := r.Film.At(a.After), r.Film.At(a.Until)
	for ref, is := range after {
		was := before[ref]
		if r.IsWorkload(ref.Kind) && was != nil && fmt.Sprint(r.podTemplate(was)) != fmt.Sprint(r.podTemplate(is)) {
			return true
		}
	}
	return false
}
