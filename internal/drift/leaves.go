package drift

import (
	"encoding/json"
	"maps"
	"slices"
)

// identities are the fields that identify the entries of a list, by the list's name.
// Of ports there are two kinds.
func identities(list string, entry map[string]any) []string {
	switch list {
	case "ports":
		if entry["containerPort"] != nil {
			return []string{"containerPort", "protocol"}
		}
		return []string{"port", "protocol"}
	case "containers", "initContainers", "volumes", "env", "imagePullSecrets":
		return []string{"name"}
	case "volumeMounts":
		return []string{"mountPath"}
	case "volumeDevices":
		return []string{"devicePath"}
	case "hostAliases":
		return []string{"ip"}
	case "topologySpreadConstraints":
		return []string{"topologyKey", "whenUnsatisfiable"}
	}
	return nil
}

// identityOf is what an entry has in a field that identifies it. A port without a
// protocol is one of TCP.
func identityOf(entry map[string]any, field string) any {
	if value, ok := entry[field]; ok {
		return value
	}
	if field == "protocol" {
		return "TCP"
	}
	return nil
}

// leaves tells every value below a path that is no map. A list is told as a whole where
// its entries are none.
func leaves(at path, value any, tell func(path, any)) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			leaves(at.key(key), v[key], tell)
		}
	case []any:
		if !slices.ContainsFunc(v, isMap) {
			if len(v) > 0 {
				tell(at, v)
			}
			return
		}
		for place, entry := range v {
			fields, _ := entry.(map[string]any)
			leaves(at.with(stepTo(at[len(at)-1].key, fields, place)), entry, tell)
		}
	default:
		tell(at, v)
	}
}

// stepTo is the step to an entry of the list of that name.
func stepTo(list string, entry map[string]any, place int) step {
	s := step{what: toEntry, entry: map[string]any{}}
	for _, field := range identities(list, entry) {
		s.entry[field] = identityOf(entry, field)
	}
	if len(s.entry) == 0 {
		return step{what: toPlace, place: place}
	}
	return s
}

func isMap(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// same compares two values as JSON.
func same(a, b any) bool { return text(a) == text(b) }

// within says whether a value has all of another: of a map its keys, of a list its
// entries, which may be others in between.
func within(whole, part any) bool {
	switch p := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		for key, value := range p {
			ok = ok && within(w[key], value)
		}
		return ok
	case []any:
		w, ok := whole.([]any)
		for _, value := range p {
			ok = ok && slices.ContainsFunc(w, func(one any) bool { return within(one, value) })
		}
		return ok
	}
	return same(whole, part)
}

func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}
