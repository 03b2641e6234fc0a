package infer

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestPortTaken: a port that requirements use is no use to them if the container has it
// anyway, in a place that the field does not decide about.
func TestPortTaken(t *testing.T) {
	const at = "spec.template.spec.containers[1].ports"
	for name, tc := range map[string]struct {
		ports   string
		effects []Effect
		want    int64
	}{
		"the field's own":                {"[{containerPort: 8080}]", []Effect{{Path: at + "[0].containerPort"}}, 0},
		"another one":                    {"[{containerPort: 2181}, {containerPort: 7000}]", []Effect{{Path: at + "[0].containerPort"}}, 0},
		"the first, in another place":    {"[{containerPort: 2181}, {containerPort: 8080}]", []Effect{{Path: at + "[0].containerPort"}}, 8080},
		"the second, in another place":   {"[{containerPort: 9090}, {containerPort: 80}]", []Effect{{Path: at + "[1].containerPort"}}, 9090},
		"two places, the field's both":   {"[{containerPort: 8080}, {containerPort: 8080}]", []Effect{{Path: at + "[0].containerPort"}, {Path: at + "[1].containerPort"}}, 0},
		"a container without any ports":  {"[]", nil, 0},
		"the field decides of a Service": {"[{containerPort: 8080}]", []Effect{{Path: "spec.ports[0].port"}}, 8080},
	} {
		f := &finder{Record: &Record{}, workload: v1alpha1.Workload{PodTemplate: "spec.template"}, container: "1"}
		f.deployment = frame(t, 1, "kind: Deployment\nmetadata: {name: shop}\nspec: {template: {spec: {containers: [{name: proxy, ports: [{containerPort: 9090}]}, "+
			"{name: shop, ports: "+tc.ports+"}]}}}").Object
		if got := f.portTaken(mapped{Effects: tc.effects}); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
