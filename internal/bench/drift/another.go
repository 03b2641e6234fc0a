package drift

import (
	"encoding/json"
	"slices"
)

// longest is how long a value may be to which a suffix is added: a label may have 63
// characters.
const longest = 50

// another returns values that a field may have instead of its own, the best first. The API
// server may refuse any of them. There are none for the field that makes a ConfigMap or a
// Secret immutable: nobody can take that back.
func another(p path, value any) []any {
	if p.String() == "immutable" {
		return nil
	}
	switch v := value.(type) {
	case bool:
		return []any{!v}
	case int64:
		return []any{v + 1, v - 1}
	case float64:
		return []any{v + 1, v - 1}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return []any{n + 1, n - 1}
		}
	case string:
		return words(p[len(p)-1].key, v)
	case []any:
		var others []any
		for _, first := range another(p, v[0]) {
			others = append(others, append([]any{first}, v[1:]...))
		}
		return others
	}
	return nil
}

// words returns words that may replace the word in a field.
func words(field, value string) []any {
	var others []any
	for _, word := range choices(field) {
		if word != value {
			others = append(others, word)
		}
	}
	if len(value) <= longest {
		others = append(others, value+"-changed")
	}
	// The last two are for short names, and for quantities.
	return slices.Concat(others, []any{"changed", "7m"})
}

// choices returns the words for a field that accepts only certain words.
func choices(field string) []string {
	switch field {
	case "protocol":
		return []string{"TCP", "UDP"}
	case "imagePullPolicy":
		return []string{"IfNotPresent", "Always"}
	case "type":
		return []string{"NodePort", "ClusterIP", "Recreate"}
	case "sessionAffinity":
		return []string{"ClientIP", "None"}
	case "internalTrafficPolicy", "externalTrafficPolicy":
		return []string{"Local", "Cluster"}
	case "ipFamilyPolicy":
		return []string{"PreferDualStack", "SingleStack"}
	case "dnsPolicy":
		return []string{"Default", "ClusterFirst"}
	case "terminationMessagePolicy":
		return []string{"FallbackToLogsOnError", "File"}
	case "schedule":
		return []string{"17 3 * * *", "29 4 * * *"}
	case "concurrencyPolicy":
		return []string{"Forbid", "Replace"}
	case "restartPolicy":
		return []string{"OnFailure", "Never"}
	case "scheme":
		return []string{"HTTPS", "HTTP"}
	}
	return nil
}
