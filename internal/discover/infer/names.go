package infer

import (
	"fmt"
	"slices"
	"strings"
)

// naming is a created object, with the values that may appear in the name of a child.
type naming struct {
	object string
	// values of its spec by path, as far as a template may name them.
	values map[string]string
	child  string
}

// template finds a template from the names of the children of several objects. The second
// result is false if no template gives all of them. A field of the spec is named only if the
// name was not the same each time: a label or a word of the sample may equal it by chance.
func template(seen []naming) (string, bool) {
	if len(seen) == 0 {
		return "", false
	}
	first := seen[0]
	var candidates []string
	if strings.Contains(first.child, first.object) {
		candidates = append(candidates, strings.Replace(first.child, first.object, "{{ .name }}", 1))
	}
	candidates = append(candidates, first.child)
	var byField []string
	for path, value := range first.values {
		if value == first.child || len(value) > 2 && strings.Contains(first.child, value) {
			byField = append(byField, strings.Replace(first.child, value, "{{ ."+path+" }}", 1))
		}
	}
	slices.Sort(byField)
	candidates = append(candidates, byField...)
	for _, candidate := range candidates {
		if !slices.ContainsFunc(seen, func(n naming) bool { return n.expand(candidate) != n.child }) {
			return candidate, true
		}
	}
	return first.child, false
}

// expand fills in a template that [template] has found.
func (n naming) expand(text string) string {
	text = strings.ReplaceAll(text, "{{ .name }}", n.object)
	for path, value := range n.values {
		text = strings.ReplaceAll(text, "{{ ."+path+" }}", value)
	}
	return text
}

// NoTemplate says that no template gives the names of the main children, or returns "". Without
// a template there can be no contract, because a contract names them.
func (r *Record) NoTemplate() string {
	if r.Workless != "" {
		return ""
	}
	f, err := find(r)
	if err != nil {
		return ""
	}
	text, fits := f.Spec.Contract.Children.Deployment.Name, true
	var names []string
	for _, act := range r.acts(Create, Rehearse) {
		child := f.counterpart(f.main, f.first, act)
		if act.Path != "" || child == nil || slices.Contains(names, child.GetName()) {
			continue // it is no creation, or it was told
		}
		names = append(names, child.GetName())
		fits = fits && f.naming(act, child.GetName()).expand(text) == child.GetName()
	}
	if fits {
		return ""
	}
	return fmt.Sprintf("no template gives the names of each %s (%s), and a contract needs one", f.workload.Kind, strings.Join(names, ", "))
}
