package visit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// copyFor returns a copy of the first object's main child, under another name and without
// an owner.
func (v *visitor) copyFor(name, first, object string) (*unstructured.Unstructured, error) {
	var source *unstructured.Unstructured
	for _, frame := range v.camera.filmed().Of(v.record.Main()) {
		if !frame.Gone {
			source = frame.Object
		}
	}
	if source == nil {
		return nil, errors.New("copying a main child: there was none")
	}
	return copyOf(source, name, first, object)
}

// copyOf returns a copy of a child of the object first, as if it were of another object.
func copyOf(source *unstructured.Unstructured, name, first, object string) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(source.Object["spec"])
	if err != nil {
		return nil, fmt.Errorf("copying %s: %w", source.GetKind(), err)
	}
	spec := map[string]any{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), first, object)), &spec); err != nil {
		return nil, fmt.Errorf("copying %s: %w", source.GetKind(), err)
	}
	if history.IsJob(source.GroupVersionKind()) {
		// What the API server has filled in belongs to the Job that it was made for.
		delete(spec, "selector")
		unstructured.RemoveNestedField(spec, "template", "metadata", "labels")
	}
	stranger := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	stranger.SetAPIVersion(source.GetAPIVersion())
	stranger.SetKind(source.GetKind())
	stranger.SetName(name)
	stranger.SetNamespace(Namespace)
	stranger.SetLabels(map[string]string{infer.StrangerLabel: "true"})
	return stranger, nil
}

// strangerFor returns what scenarios create under the name of an object's main child: a
// workload with other labels, and another image.
func strangerFor(p *profile.Profile, name string, spec map[string]any) (*unstructured.Unstructured, error) {
	child, _, err := p.ChildNames(name, spec)
	if err != nil {
		return nil, fmt.Errorf("naming the child of %s: %w", name, err)
	}
	base, err := p.WorkloadBase()
	if err != nil {
		return nil, err
	}
	if base == nil {
		base = map[string]any{}
	}
	w, labels := p.Workload(), map[string]any{"example.com/of": "somebody-else"}
	object := infer.With(map[string]any{"spec": base}, w.PodTemplate+".metadata.labels", labels)
	object = infer.With(object, w.PodTemplate+".spec.containers", []any{map[string]any{"name": "app", "image": "registry.example/foreign:v1"}})
	if !slices.Contains(w.Lacks, "spec.selector") {
		object = infer.With(object, "spec.selector.matchLabels", labels)
	}
	if w.Replicas != "" {
		written, err := p.Formatted("1")
		if err != nil {
			return nil, err
		}
		object = infer.With(object, w.Replicas, numberIn(written))
	}
	stranger := &unstructured.Unstructured{Object: object}
	stranger.SetAPIVersion(schema.GroupVersion{Group: w.Group, Version: w.Version}.String())
	stranger.SetKind(w.Kind)
	stranger.SetName(child)
	stranger.SetNamespace(Namespace)
	return stranger, nil
}

// numberIn returns the number that a text is, or the text.
func numberIn(text string) any {
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number
	}
	return text
}
