package infer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

func containerNames(template map[string]any) string {
	var names []string
	containers, _ := At(template, "spec.containers").([]any)
	for _, c := range containers {
		container, _ := c.(map[string]any)
		names = append(names, fmt.Sprint(container["name"]))
	}
	return strings.Join(names, ", ")
}

// nameOf returns the name of a child as a template. The second result is false if no template
// gives all names that were seen.
func (f *finder) nameOf(section string, child *unstructured.Unstructured) (string, bool) {
	names := []naming{f.naming(f.first, child.GetName())}
	words := []string{child.GetName()}
	for _, other := range f.acts(Create)[1:] {
		if theirs := f.counterpart(refOf(child), f.first, other); theirs != nil {
			names = append(names, f.naming(other, theirs.GetName()))
			words = append(words, theirs.GetName())
		}
	}
	text, fits := template(names)
	if field, ok := f.fields[RoleDeploymentName]; ok && child == f.deployment {
		named := "{{ ." + field.Field.Path + " }}"
		if !slices.ContainsFunc(names, func(n naming) bool { return n.expand(named) != n.child }) {
			text, fits = named, true // the name may equal the object's only by chance
		}
	}
	path := "contract." + section + ".name"
	switch {
	case !fits:
		f.note(path, Guessed, "the names were %s, and no template gives them all", strings.Join(words, ", "))
	case len(names) > 1:
		f.note(path, Seen, "%s", strings.Join(words, ", "))
	default:
		second := "a second %s got none"
		if !slices.ContainsFunc(f.Acts, func(a Act) bool { return a.Deed == Create && a.Object != f.first.Object }) {
			second = "a second %s was not tried, or not to the end"
		}
		f.note(path, Guessed, "only %s was seen: "+second, words[0], f.Kind)
	}
	return text, fits
}

// nameable is a path that a template can name.
var nameable = regexp.MustCompile(`^\w+(\.[A-Za-z_]\w*)*$`)

// naming returns an object with the values that a template may name: those of fields that
// are mapped, or stand in the base.
func (f *finder) naming(created Act, child string) naming {
	n := naming{object: created.Object, values: map[string]string{}, child: child}
	for _, leaf := range Leaves(created.To, "spec") {
		if text, ok := leaf.Value.(string); ok && nameable.MatchString(leaf.Path) {
			n.values[leaf.Path] = text
		}
	}
	return n
}

// findBase keeps what objects must have besides the mapped fields: what the last object was
// created with, because that was enough.
func (f *finder) findBase() {
	creations := f.acts(Create)
	if f.Rich {
		creations = creations[:1]
	}
	spec, _ := creations[len(creations)-1].To.(map[string]any)
	rest := map[string]any{"spec": profile.EscapeAll(spec)}
	mappedPaths := []*v1alpha1.Field{
		f.Spec.Contract.Spec.Image, f.Spec.Contract.Spec.Replicas, f.Spec.Contract.Spec.Port, f.Spec.Contract.Spec.Env,
		f.Spec.Contract.Spec.ConfigMapRef,
	}
	if f.Spec.Contract.Children.Service != nil {
		mappedPaths = append(mappedPaths, f.Spec.Contract.Children.Service.Port)
	}
	for _, field := range mappedPaths {
		if field != nil && field.Path != "" {
			rest = Without(rest, field.Path)
		}
	}
	if field := f.Spec.Contract.Spec.DeploymentName; field != nil {
		rest = With(rest, field.Path, "{{ .name }}-app")
		f.note("contract.base", Seen, "the name of the %s, which must differ from object to object", f.workload.Kind)
	}
	base, _ := rest["spec"].(map[string]any)
	if len(base) == 0 {
		return
	}
	raw, err := json.Marshal(base)
	if err != nil {
		return // the value came from JSON, so this cannot fail
	}
	f.Spec.Contract.Base = &apiextensionsv1.JSON{Raw: raw}
	if f.Spec.Contract.Spec.DeploymentName == nil || len(base) > 1 {
		if len(creations) > 1 {
			f.note("contract.base", Seen, "a second %s with nothing but this and what is mapped got its children, too", f.Kind)
		} else {
			f.note("contract.base", Guessed, "what the sample has and nothing was seen to follow: leave out what is not needed")
		}
	}
}

// dropLacking removes the features that need something else that is not known, and offers
// none of these.
func (f *finder) dropLacking() {
	p := &profile.Profile{Profile: v1alpha1.Profile{Spec: f.Spec}}
	var kept []v1alpha1.Feature
	for _, feature := range f.Spec.Claims.Features {
		if lacks := p.Lacks(feature); len(lacks) > 0 {
			f.ask("claims.features", "%s is not claimed, though it was seen: it needs %s", feature, strings.Join(lacks, ", and "))
		} else {
			kept = append(kept, feature)
		}
	}
	f.Spec.Claims.Features = kept
	for i, question := range f.Asked["claims.features"] {
		f.Asked["claims.features"][i].Lines = slices.DeleteFunc(question.Lines, func(line string) bool {
			return len(p.Lacks(v1alpha1.Feature(strings.TrimPrefix(line, "- ")))) > 0
		})
	}
}
