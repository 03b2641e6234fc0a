package proxy

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// mostChanged is how many changed fields of a write are listed. mostDeep is how deep they
// may lie.
const (
	mostChanged = 8
	mostDeep    = 8
)

// changed returns the paths of the fields in which an object differs from what it was,
// such as status.phase or spec.template.spec.containers[0].image. It leaves out what the
// API server itself maintains. It does not return the values, because they may be
// anything.
func changed(before, after object) []string {
	var paths []string
	differences(map[string]any(before), map[string]any(after), "", mostDeep, &paths)
	if more := len(paths) - mostChanged; more > 0 {
		paths = append(paths[:mostChanged], fmt.Sprintf("and %d more", more))
	}
	return paths
}

func differences(before, after any, path string, deep int, paths *[]string) {
	switch {
	case path == "metadata.managedFields", path == "metadata.resourceVersion", path == "metadata.generation":
		return
	case reflect.DeepEqual(before, after):
		return
	}
	switch was := before.(type) {
	case map[string]any:
		is, ok := after.(map[string]any)
		if !ok || deep == 0 {
			break
		}
		both := maps.Clone(was)
		maps.Copy(both, is)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			below := name
			if path != "" {
				below = path + "." + name
			}
			differences(was[name], is[name], below, deep-1, paths)
		}
		return
	case []any:
		is, ok := after.([]any)
		if !ok || len(is) != len(was) || deep == 0 {
			break
		}
		for n := range was {
			differences(was[n], is[n], fmt.Sprintf("%s[%d]", path, n), deep-1, paths)
		}
		return
	}
	*paths = append(*paths, path)
}
