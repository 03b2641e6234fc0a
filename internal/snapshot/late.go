package snapshot

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// late are the objects of a Snapshot whose status was behind when it was taken: their
// ready count was not their workload's. Such a status becomes right later, so no other
// is to be compared with it. Whether it does so in time, other requirements judge.
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
			continue // nothing says what it should be
		}
		said, known := count(primary, profile.Steps(ready.Path)...)
		if pods, _ := count(workload, "status", "readyReplicas"); known && said != pods {
			found = append(found, key)
		}
	}
	return found, nil
}

// count is the number of Pods at a path in an object, where it can be one: a status
// without it means none.
func count(object any, path ...string) (number float64, known bool) {
	fields, _ := object.(map[string]any)
	value, found, err := unstructured.NestedFieldNoCopy(fields, path...)
	number, is := value.(float64)
	return number, err == nil && (is || !found)
}
