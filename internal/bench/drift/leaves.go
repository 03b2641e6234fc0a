package drift

import (
	"encoding/json"
	"maps"
	"slices"
)

// identities returns the fields that identify the entries of a list, by the list's name.
// There are two kinds of ports.
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

// identityOf returns the value of an identifying field of an entry. A port without a
// protocol has TCP.
func identityOf(entry map[string]any, field string) any {
	if value, ok := entry[field]; ok {
		return value
	}
	if field == "protocol" {
		return "TCP"
	}
	return nil
}

// leaves calls tell for every value below a path that is not a map. A list without maps
// counts as one value.
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

// stepTo returns the step to an entry of the list with that name.
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

// same says whether two values are equal as JSON.
func same(a, b any) bool { return text(a) == text(b) }

// within says whether a value contains everything of another one: all keys of a map, and
// all entries of a list. A list may have other entries in between.
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
