package sanitize

import (
	"fmt"
	"reflect"
)

// Limits of what is shown: of a text, of a line in a list of lines, and of such a list.
const (
	mostText  = 8 << 10
	MostLine  = 1 << 10
	mostLines = 200
)

// All makes every text in a value harmless, and cuts texts that are too long. It takes a
// pointer to the value. It does not change maps: a report has no map with texts of a
// subject.
func All[T any](value *T) { all(reflect.ValueOf(value).Elem()) }

func all(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			all(value.Elem())
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Field(i).CanSet() {
				all(value.Field(i))
			}
		}
	case reflect.Slice:
		if lines, ok := value.Addr().Interface().(*[]string); ok {
			*lines = list(*lines)
			return
		}
		for i := range value.Len() {
			all(value.Index(i))
		}
	case reflect.String:
		value.SetString(Text(Cut(Secrets(value.String()), mostText)))
	}
}

func list(lines []string) []string {
	var found []string
	lines = withoutKeys(lines)
	for i, line := range lines {
		if skipped := len(lines) - mostLines; skipped > 0 && i >= mostLines/2 && i < mostLines/2+skipped {
			if i == mostLines/2 {
				found = append(found, fmt.Sprintf("… (%d lines left out) …", skipped))
			}
			continue
		}
		found = append(found, Text(Cut(Secrets(line), MostLine)))
	}
	return found
}
