package proxy

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
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
// anything. onlyTimes is true if something differs, and nothing but times does.
func changed(before, after object) (paths []string, onlyTimes bool) {
	onlyTimes = true
	differences(map[string]any(before), map[string]any(after), "", mostDeep, func(path string, was, is any) {
		paths = append(paths, path)
		onlyTimes = onlyTimes && isTime(was) && isTime(is)
	})
	onlyTimes = onlyTimes && len(paths) > 0
	if more := len(paths) - mostChanged; more > 0 {
		paths = append(paths[:mostChanged], fmt.Sprintf("and %d more", more))
	}
	return paths, onlyTimes
}

// earliest is a number of seconds since 1970. Smaller numbers are no times of today.
const earliest = 1_500_000_000

// isTime says whether a value is a point in time: a text as in RFC 3339, or the seconds,
// or parts of seconds, since 1970.
func isTime(value any) bool {
	switch value := value.(type) {
	case string:
		_, err := time.Parse(time.RFC3339, value)
		return err == nil
	case json.Number:
		seconds, err := value.Float64()
		return err == nil && seconds > earliest
	}
	return false
}

// differences calls each for every field that differs, with its path and both values.
func differences(before, after any, path string, deep int, each func(path string, before, after any)) {
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
			differences(was[name], is[name], below, deep-1, each)
		}
		return
	case []any:
		is, ok := after.([]any)
		if !ok || len(is) != len(was) || deep == 0 {
			break
		}
		for n := range was {
			differences(was[n], is[n], fmt.Sprintf("%s[%d]", path, n), deep-1, each)
		}
		return
	}
	each(path, before, after)
}
