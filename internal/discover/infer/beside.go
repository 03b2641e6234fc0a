package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// leaveBeside takes away the field of the port if it only adds a port to the container, or
// decides about one to which the Service does not lead. The port of the contract is the one
// at which the Pods are reached.
func (f *finder) leaveBeside() {
	m, ok := f.fields[RolePort]
	if !ok || !f.besideServed(m) {
		return
	}
	delete(f.fields, RolePort)
	f.unserved = m.Field.Path
}

// besideServed tells whether each port of the Service led to a port of the Pods when a field
// had its new value, and none to the one that the field decides about. A port of the Service
// that led nowhere has perhaps not followed, which is a mistake.
func (f *finder) besideServed(m mapped) bool {
	objects := f.Film.At(m.Act.Until)
	for _, effect := range m.Effects {
		child := objects[effect.Child]
		if _, _, ok := inContainer(f.workload, effect.Path); !ok || child == nil {
			continue
		}
		service := f.serviceAmong(slices.Collect(maps.Values(objects)), child)
		if service == nil {
			return false
		}
		ports, _ := At(service.Object, "spec.ports").([]any)
		return len(ports) > 0 && !slices.ContainsFunc(ports, func(port any) bool {
			return !leadsTo(port, f.podTemplate(child)) || slices.ContainsFunc(m.Effects, func(e Effect) bool {
				entry, within := strings.CutSuffix(e.Path, ".containerPort")
				return within && e.Child == effect.Child && isTarget(port, At(child.Object, entry))
			})
		})
	}
	return false
}

// takenAfter returns one of the ports of the scenarios, if the container still had it, in a
// place that the field did not decide about, when the field had another value. It returns 0 if
// there was none.
func (f *finder) takenAfter(m mapped) int64 {
	objects := f.Film.At(m.Act.Until)
	for _, effect := range m.Effects {
		index, _, ok := inContainer(f.workload, effect.Path)
		child := objects[effect.Child]
		if !ok || child == nil || !strings.HasSuffix(effect.Path, "].containerPort") {
			continue
		}
		if taken := taken(child, containersAt(f.workload)+"["+index+"].ports", m); taken > 0 {
			return taken
		}
	}
	return 0
}

// taken returns one of the ports of the scenarios that a container has in a place that a field
// does not decide about, or 0.
func taken(workload *unstructured.Unstructured, at string, field mapped) int64 {
	ports, _ := At(workload.Object, at).([]any)
	for n, port := range ports {
		path := fmt.Sprintf("%s[%d].containerPort", at, n)
		decided := slices.ContainsFunc(field.Effects, func(e Effect) bool { return e.Path == path })
		entry, _ := port.(map[string]any)
		if number, _ := whole(entry["containerPort"]); !decided && slices.Contains(scenarioPorts[:], number) {
			return number
		}
	}
	return 0
}
