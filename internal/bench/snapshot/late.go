package snapshot

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// late returns the objects of a Snapshot whose status was behind when it was taken: their
// ready count differed from that of their workload. Such a status becomes right later, so
// no other status may be compared with it. Other requirements judge whether it becomes
// right in time.
func late(p *profile.Profile, taken v1alpha1.SnapshotStatus) ([]string, error) {
	ready, mapped := p.StatusFields()["readyReplicas"]
	if !mapped || !slices.Contains([]string{"deployments", "statefulsets"}, p.WorkloadResource().Resource) {
		return nil, nil
	}
	objects, err := content(taken)
	if err != nil {
		return nil, err
	}
	var found []string
	for key, primary := range objects {
		name, is := strings.CutPrefix(key, contract(p)[0]+" ")
		if !is {
			continue
		}
		fields, _ := primary.(map[string]any)
		spec, _ := fields["spec"].(map[string]any)
		child, _, err := p.ChildNames(name, spec)
		workload, there := objects[p.WorkloadResource().String()+" "+child]
		if err != nil || !there {
			continue // then it is not known what the status should be
		}
		said, known := count(primary, profile.Steps(ready.Path)...)
		if pods, _ := count(workload, "status", "readyReplicas"); known && said != pods {
			found = append(found, key)
		}
	}
	return found, nil
}

// count returns the number of Pods at a path in an object. A missing number counts as 0.
// known is false if the value is not a number.
func count(object any, path ...string) (number float64, known bool) {
	fields, _ := object.(map[string]any)
	value, found, err := unstructured.NestedFieldNoCopy(fields, path...)
	number, is := value.(float64)
	return number, err == nil && (is || !found)
}
