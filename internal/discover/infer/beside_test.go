package infer

import (
	"fmt"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestBeside: the port of the contract is the one to which the Service leads. A field that
// adds another one to the container is not the field of the port, and no requirement can
// tell a port of its own from one that the container has anyway.
func TestBeside(t *testing.T) {
	const (
		at      = "spec.template.spec.containers[1].ports"
		own     = at + "[0].containerPort"
		byName  = "{port: 80, targetPort: http}"
		ofField = "{port: 80, targetPort: 8123}"
	)
	for name, tc := range map[string]struct {
		ports, service string // when the field was 8123
		beside         bool
		taken          int64
	}{
		"the Service follows":               {"[{containerPort: 8123}]", ofField, false, 0},
		"it leads by name":                  {"[{containerPort: 8123, name: http}]", byName, false, 0},
		"by the number of the Service":      {"[{containerPort: 8123}]", "{port: 8123}", false, 0},
		"to one beside it, by name":         {"[{containerPort: 8123}, {containerPort: 8080, name: http}]", byName, true, 8080},
		"to one beside it, by number":       {"[{containerPort: 8123}, {containerPort: 7000}]", "{port: 80, targetPort: 7000}", true, 0},
		"to both":                           {"[{containerPort: 8123, name: own}, {containerPort: 7000}]", "{port: 80, targetPort: own}, {port: 81, targetPort: 7000}", false, 0},
		"to none, as it does not follow":    {"[{containerPort: 8123}]", "{port: 80, targetPort: 8000}", false, 0},
		"one follows not, and one is fixed": {"[{containerPort: 8123}, {containerPort: 7000}]", "{port: 80, targetPort: 8000}, {port: 81, targetPort: 7000}", false, 0},
		"to one of another container":       {"[{containerPort: 8123}]", "{port: 80, targetPort: 8080}", true, 0},
		"to none, and another port is free": {"[{containerPort: 8123}, {containerPort: 9090}]", "{port: 80, targetPort: 8000}", false, 9090},
		"no Service":                        {"[{containerPort: 8123}, {containerPort: 8080}]", "", false, 8080},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop"}
			frames := []Frame{frame(t, 20, "kind: Deployment\nmetadata: {name: shop}\nspec: {template: {metadata: {labels: {app: shop}}, spec: {containers: "+
				"[{name: proxy, ports: [{containerPort: 8080}]}, {name: shop, ports: "+tc.ports+"}]}}}")}
			if tc.service != "" {
				frames = append(frames, frame(t, 21, fmt.Sprintf("kind: Service\nmetadata: {name: shop}\nspec: {selector: {app: shop}, ports: [%s]}", tc.service)))
			}
			r.Film = NewFilm(frames)
			m := mapped{
				Field: v1alpha1.Field{Path: "spec.ports[0].containerPort"}, Act: Act{Deed: Change, Object: "shop", To: int64(8123), After: 10, Until: 30},
				Effects: []Effect{{Child: Ref{"Deployment", "shop"}, Path: own, Role: RolePort}},
			}
			f := &finder{Record: r, workload: v1alpha1.Workload{PodTemplate: "spec.template"}, fields: map[Role]mapped{RolePort: m}}
			f.leaveBeside()
			if _, still := f.fields[RolePort]; still == tc.beside || (f.unserved == m.Field.Path) != tc.beside {
				t.Errorf("mapped: %v, unserved %q; want it to be beside: %v", still, f.unserved, tc.beside)
			}
			if got := f.takenAfter(m); got != tc.taken {
				t.Errorf("taken: %d, want %d", got, tc.taken)
			}
		})
	}
}
