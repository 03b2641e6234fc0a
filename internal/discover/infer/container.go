package infer

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mainContainer returns the index of the container of the main child that is the object's: most
// of the object's image (or a part of it), port and variables go into it. Of two alike, it is the
// one to which the Service leads, and otherwise the one that has the image. The others, such as a
// container that loads the configuration again, may have a field for their image, too. It is "" if
// nothing went into any.
func (r *Record) mainContainer(main Ref) string {
	created, _ := r.act(Create)
	child := r.Film.At(created.Until)[main]
	if child == nil {
		return ""
	}
	w, _ := r.workload(main.Kind)
	into := map[string]map[Role]bool{}
	add := func(path string, role Role) {
		index, _, inside := inContainer(w, path)
		if inside && into[index] == nil {
			into[index] = map[Role]bool{}
		}
		if inside {
			into[index][role] = true
		}
	}
	containers, _ := At(child.Object, containersAt(w)).([]any)
	for _, act := range r.acts(Change) {
		for _, effect := range r.Effects(act) {
			if effect.Child.Kind == main.Kind {
				add(effect.Path, effect.Role)
			}
		}
		for n := range containers {
			if path := fmt.Sprintf("%s[%d].image", containersAt(w), n); r.partOf(act, main, path) != "" {
				add(path, RoleImage)
			}
		}
	}
	for _, late := range []map[Role]mapped{r.onlyAtCreation(main), r.maybeAtCreation(main)} {
		for role, m := range late {
			for _, effect := range m.Effects {
				add(effect.Path, role)
			}
		}
	}
	service := r.mainService(main)
	best, most := "", 0
	for n := range containers {
		index := fmt.Sprint(n)
		rank := 4 * len(into[index])
		if rank > 0 && isServed(service, containers[n]) {
			rank += 2
		}
		if into[index][RoleImage] {
			rank++
		}
		if rank > most {
			best, most = index, rank
		}
	}
	return best
}

// isServed tells whether a Service leads to a port of a container.
func isServed(service *unstructured.Unstructured, container any) bool {
	if service == nil {
		return false
	}
	ports, _ := At(service.Object, "spec.ports").([]any)
	of := map[string]any{"spec": map[string]any{"containers": []any{container}}}
	return slices.ContainsFunc(ports, func(port any) bool { return leadsTo(port, of) })
}

// ofContainer keeps those effects that are in a container of the main child only if they are in
// its main container.
func (r *Record) ofContainer(effects []Effect, main Ref, container string) []Effect {
	w, _ := r.workload(main.Kind)
	return slices.DeleteFunc(slices.Clone(effects), func(e Effect) bool {
		index, _, inside := inContainer(w, e.Path)
		return e.Child.Kind == main.Kind && inside && container != "" && index != container
	})
}

// imageOfAnother returns a field that sets the image of another container of the main child, or
// "".
func (f *finder) imageOfAnother() string {
	for _, act := range f.acts(Change) {
		for _, effect := range f.Effects(act) {
			if effect.Role == RoleImage && effect.Child == f.main && len(f.ofContainer([]Effect{effect}, f.main, f.container)) == 0 {
				return act.Path
			}
		}
	}
	return ""
}
