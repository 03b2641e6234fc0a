package profile

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// Merged returns a copy of an object with a JSON merge patch applied.
func Merged(object, patch map[string]any) map[string]any {
	result := runtime.DeepCopyJSON(object)
	if result == nil {
		result = map[string]any{}
	}
	for key, value := range patch {
		below, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(result, key)
		case isMap:
			present, _ := result[key].(map[string]any)
			result[key] = Merged(present, below)
		default:
			result[key] = runtime.DeepCopyJSONValue(value)
		}
	}
	return result
}

// Difference returns the JSON merge patch that turns the object from into the object to. It
// is empty if they are equal.
func Difference(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range from {
		if _, stays := to[key]; !stays {
			patch[key] = nil
		}
	}
	for key, value := range to {
		before, given := from[key]
		if given && reflect.DeepEqual(before, value) {
			continue
		}
		one, isMap := before.(map[string]any)
		other, areMaps := value.(map[string]any)
		if isMap && areMaps {
			patch[key] = Difference(one, other)
			continue
		}
		patch[key] = runtime.DeepCopyJSONValue(value)
	}
	return patch
}
