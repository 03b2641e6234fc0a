package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// object is any object of the API, decoded from JSON. Its numbers stay as they were
// written.
type object map[string]any

func decodeObject(body []byte) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var decoded object
	if err := decoder.Decode(&decoded); err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}
	return decoded, nil
}

func (o object) string(path ...string) string {
	value, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	s, _ := value.(string)
	return s
}

func (o object) kind() string                { return o.string("kind") }
func (o object) name() string                { return o.string("metadata", "name") }
func (o object) uid() types.UID              { return types.UID(o.string("metadata", "uid")) }
func (o object) resourceVersion() string     { return o.string("metadata", "resourceVersion") }
func (o object) terminating() bool           { return o.string("metadata", "deletionTimestamp") != "" }
func (o object) holder() string              { return o.string("spec", "holderIdentity") }
func (o object) sameAs(other object) bool    { return o.kind() == other.kind() && o.uid() == other.uid() }
func (o object) metadata() map[string]any    { return o.mapping("metadata") }
func (o object) annotations() map[string]any { return o.mapping("metadata", "annotations") }

// lockAnnotation is where an election keeps its holder if it is held with an object that has
// no field for that.
const lockAnnotation = "control-plane.alpha.kubernetes.io/leader"

// isLock says whether an election is held with a ConfigMap or Endpoints.
func (o object) isLock() bool {
	return (o.kind() == "ConfigMap" || o.kind() == "Endpoints") && o.annotations()[lockAnnotation] != nil
}

// bystander says whether the bench made the object, to look like a child of the
// controller.
func (o object) bystander() bool {
	return o.string("metadata", "labels", v1alpha1.LabelBystander) != ""
}

func (o object) generation() int64 {
	value, _, _ := unstructured.NestedFieldNoCopy(o, "metadata", "generation")
	number, _ := value.(json.Number)
	generation, _ := strconv.ParseInt(number.String(), 10, 64)
	return generation
}

func (o object) owners() []history.Owner {
	var owners []history.Owner
	for _, reference := range o.maps("metadata", "ownerReferences") {
		controller, _ := reference["controller"].(bool)
		owners = append(owners, history.Owner{
			APIVersion: reference.string("apiVersion"),
			Kind:       reference.string("kind"),
			Name:       reference.string("name"),
			UID:        types.UID(reference.string("uid")),
			Controller: controller,
		})
	}
	return owners
}

// statusFields returns the fields of the status that have a value, sorted.
func (o object) statusFields() []string {
	var fields []string
	for name, value := range o.mapping("status") {
		list, isList := value.([]any)
		if value != nil && value != "" && (!isList || len(list) > 0) {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

func (o object) finalizers() []string {
	finalizers, _, _ := unstructured.NestedStringSlice(o, "metadata", "finalizers")
	return finalizers
}

// added returns the items of a list that were not in it before.
func added(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(s string) bool { return slices.Contains(before, s) })
}

// isAnswer says whether this is a Status about the request, and not an object.
func (o object) isAnswer() bool {
	return o.kind() == "Status" && o.string("apiVersion") == metav1.Unversioned.String()
}

// isTable says whether this is a table, and not an object of a kind with that name.
func (o object) isTable() bool {
	return o.kind() == "Table" && strings.HasPrefix(o.string("apiVersion"), metav1.GroupName+"/")
}

// outOfTable returns the object in the only row of a table, or a list of those in all rows. If
// the rows have no objects, only the version of the table is known.
func (o object) outOfTable(list bool) object {
	var items []any
	for _, row := range o.maps("rows") {
		items = append(items, row.mapping("object"))
	}
	if list {
		return object{"items": items}
	}
	if len(items) == 1 {
		if only, _ := items[0].(map[string]any); only != nil {
			return only
		}
	}
	return object{"metadata": o["metadata"]}
}

// withStatusOf returns the object with the status of another one.
func (o object) withStatusOf(other object) object {
	o = maps.Clone(o)
	delete(o, "status")
	if status, has := other["status"]; has {
		o["status"] = status
	}
	return o
}

func (o object) mapping(path ...string) map[string]any {
	value, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	m, _ := value.(map[string]any)
	return m
}

// maps returns the objects in the list at a path.
func (o object) maps(path ...string) []object {
	value, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	list, _ := value.([]any)
	var maps []object
	for _, element := range list {
		if m, ok := element.(map[string]any); ok {
			maps = append(maps, m)
		}
	}
	return maps
}
