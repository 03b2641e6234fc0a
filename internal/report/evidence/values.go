package evidence

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// quotedObject matches one object as an Observation quotes it at its end: a name and the
// fields that the rule reads.
var quotedObject = regexp.MustCompile(`^([a-z0-9][-a-z0-9.]*) (\{.*\})$`)

// mostValues is how many values of an object are told in words.
const mostValues = 4

// values says in words which values an object had, if it is one object with few fields.
// Otherwise it returns the text.
func values(found string) string {
	m := quotedObject.FindStringSubmatch(found)
	if m == nil {
		return found
	}
	var content map[string]any
	if json.Unmarshal([]byte(m[2]), &content) != nil || len(content) == 0 {
		return found
	}
	told := valuesIn("", content)
	if len(told) > mostValues {
		return found
	}
	return strings.Join(told, ", ") + ", in " + m[1]
}

// valuesIn says which values are at a path and below it.
func valuesIn(path string, value any) []string {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return []string{path + " is empty"}
		}
		var told []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			told = append(told, valuesIn(strings.TrimPrefix(path+"."+key, "."), v[key])...)
		}
		return told
	case []any:
		if told := conditions(v); told != "" {
			return []string{path + ": " + told}
		}
	}
	data, err := json.Marshal(value)
	if err != nil {
		return []string{path}
	}
	return []string{path + " is " + string(data)}
}

// conditions says which status, reason and message conditions have. Those with the same reason
// and message stand together. It returns "" if the list is no list of conditions.
func conditions(list []any) string {
	var order []string
	types := map[string][]string{}
	for _, item := range list {
		c, _ := item.(map[string]any)
		name, _ := c["type"].(string)
		status, _ := c["status"].(string)
		if name == "" || status == "" {
			return ""
		}
		why := ""
		for _, key := range []string{"reason", "message"} {
			if c[key] != nil {
				why += fmt.Sprintf(", %s %q", key, c[key])
			}
		}
		if types[why] == nil {
			order = append(order, why)
		}
		types[why] = append(types[why], name+" "+status)
	}
	for n, why := range order {
		order[n] = strings.Join(types[why], " and ") + why
	}
	return strings.Join(order, "; ")
}
