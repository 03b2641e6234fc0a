package infer

import (
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// Many scenarios change the number of replicas only because a change of it shows in a child.
// If no field decides about that number, another one can stand in for it: a number that is
// passed on to the main child, or an entry of a map of texts.

const (
	// standInKey is the key of an entry of a map that stands in for the number of replicas.
	standInKey = "number"
	// standInPrefix is in front of the number, as the value must be a text.
	standInPrefix = "n"
)

// StandIns returns the changes that may show a field that can stand in for the number of
// replicas, the most harmless first.
func StandIns(version *apiextensionsv1.CustomResourceDefinitionVersion, spec map[string]any) []FieldChange {
	schema := profile.SchemaAt(version, "spec")
	used := numbersIn(spec, schema)
	var changes []FieldChange
	for _, kind := range []func(name string, schema *apiextensionsv1.JSONSchemaProps) any{
		func(name string, schema *apiextensionsv1.JSONSchemaProps) any {
			if schema.Type != "integer" || !slices.Contains([]string{"revisionHistoryLimit", "terminationGracePeriodSeconds"}, name) {
				return nil
			}
			return anotherNumber(schema, 3, name, used)
		},
		func(name string, schema *apiextensionsv1.JSONSchemaProps) any {
			return standInText(name, "annotation", schema)
		},
		func(name string, schema *apiextensionsv1.JSONSchemaProps) any {
			return standInText(name, "label", schema)
		},
	} {
		changes = append(changes, fieldsOf(schema, "spec", 0, kind)...)
	}
	for n, tried := range changes {
		if _, text := tried.To.(string); text {
			changes[n].Path += "." + standInKey
		}
	}
	return changes
}

// standInText returns a text to put into a map of texts with a word in its name, or nil.
func standInText(name, word string, schema *apiextensionsv1.JSONSchemaProps) any {
	values := schema.AdditionalProperties
	if schema.Type != "object" || values == nil || values.Schema == nil || values.Schema.Type != "string" || !strings.Contains(strings.ToLower(name), word) {
		return nil
	}
	return standInPrefix + "3"
}

// fieldsOf returns the fields below a path for which a value to try is known.
func fieldsOf(schema *apiextensionsv1.JSONSchemaProps, path string, depth int, value func(name string, schema *apiextensionsv1.JSONSchemaProps) any) []FieldChange {
	if schema == nil || depth > deepest {
		return nil
	}
	var found []FieldChange
	for _, name := range sorted(schema.Properties) {
		property, at := schema.Properties[name], path+"."+name
		if !plainPath.MatchString(at) {
			continue
		}
		if to := value(name, &property); to != nil {
			found = append(found, FieldChange{at, to})
		} else if property.Type == "object" {
			found = append(found, fieldsOf(&property, at, depth+1, value)...)
		}
	}
	return found
}

// plainPath matches a path that can be written in every language of a scenario.
var plainPath = regexp.MustCompile(`^spec(\.[A-Za-z]+)+$`)

// standIn returns a field that can stand in for the number of replicas, as if it decided
// about that. Its only effect is the field of the main child that followed it.
func (r *Record) standIn() (mapped, bool) {
	for _, act := range r.acts(Change) {
		if r.unfit(RoleReplicas, act.Path) || !plainPath.MatchString(act.Path) || r.matters(act) {
			continue
		}
		format := ""
		if text, ok := act.To.(string); ok {
			if !strings.HasPrefix(text, standInPrefix) || !strings.HasSuffix(act.Path, "."+standInKey) {
				continue
			}
			format = standInPrefix + "{{ .value }}"
		} else if _, ok := whole(act.To); !ok {
			continue
		}
		if at, child := r.shownIn(act); at != "" {
			field := v1alpha1.Field{Path: act.Path, Format: format, Immutable: act.Anew}
			return mapped{Field: field, Act: act, Effects: []Effect{{child, at, RoleReplicas}}}, true
		}
	}
	return mapped{}, false
}

// HasStandIn tells whether a field was seen that can stand in for the number of replicas.
func (r *Record) HasStandIn() bool {
	_, ok := r.standIn()
	return ok
}

// matters tells whether a change had an effect of a known role.
func (r *Record) matters(a Act) bool { return len(r.Effects(a)) > 0 }

// shownIn returns the field of the main child that took the value of a changed field, and
// the child. It returns "" if there was none.
func (r *Record) shownIn(a Act) (string, Ref) {
	before, after := r.Film.At(a.After), r.Film.At(a.Until)
	main := r.mainIn(after, a.Object)
	was, is := before[main], after[main]
	if was == nil || is == nil || !RollsOut(main.Kind) {
		return "", Ref{}
	}
	for _, leaf := range Leaves(is.Object["spec"], "spec") {
		if plainPath.MatchString(leaf.Path) && same(leaf.Value, a.To) && !same(leaf.Value, At(was.Object, leaf.Path)) {
			return leaf.Path, main
		}
	}
	return "", Ref{}
}

// RollsOut tells whether objects of a kind create Pods and say how many of them are ready.
func RollsOut(kind string) bool {
	return slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, kind)
}

// findStandIn lets another field stand in for the number of replicas, if no field decides
// about that and the controller does not write it either.
func (f *finder) findStandIn() {
	if f.Spec.Contract.Spec.Replicas != nil {
		return
	}
	m, ok := f.standIn()
	if !ok {
		return
	}
	f.fields[RoleReplicas], f.standsIn = m, true
	f.Spec.Contract.Spec.Replicas = m.Field.DeepCopy()
	delete(f.Asked, "contract.spec.replicas")
	f.note("contract.spec.replicas", Seen, "%s. No field sets the number of its Pods: where a scenario changes that, it changes this in its place", m.inWords())
}

// findStandInWorkload says where the number shows that stands in for that of replicas.
func (f *finder) findStandInWorkload() {
	if !f.standsIn {
		return
	}
	w := f.workload.DeepCopy()
	w.Replicas = f.fields[RoleReplicas].Effects[0].Path
	w.Lacks = slices.DeleteFunc(w.Lacks, func(path string) bool { return path == "spec.replicas" })
	f.Spec.Contract.Children.Deployment.Workload = w
	f.note("contract.children.deployment.workload.replicas", Seen, "it shows what stands in for the number of replicas")
}
