package observation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// standing says which metrics have not gone up, of those that eventually waits for. It
// returns "" if eventually waits for something else, or if the last answer was no page of
// metrics. The names are whole, however many other metrics there are. The lock is held.
func (j *judge) standing() string {
	page, _ := j.reading.(map[string]any)
	if !slices.ContainsFunc(j.eventually.reads, func(path []string) bool { return slices.Equal(path, []string{"increased"}) }) ||
		page["prometheus"] != true {
		return ""
	}
	increased, _, _ := unstructured.NestedStringSlice(page, "increased") // nil also after an error
	var standing []string
	for _, name := range j.awaited() {
		if slices.Contains(increased, name) {
			continue
		}
		if value, exposed, _ := unstructured.NestedInt64(page, "samples", name); exposed {
			standing = append(standing, fmt.Sprintf("%s stayed at %d", name, value))
		} else {
			standing = append(standing, name+" is not on the page")
		}
	}
	return strings.Join(standing, "; ")
}

// awaited returns the names of the metrics that eventually takes from the claims.
func (j *judge) awaited() (names []string) {
	for _, path := range j.eventually.claims {
		switch value, _, _ := unstructured.NestedFieldNoCopy(j.claims, path...); value := value.(type) { // nil also after an error
		case string:
			names = append(names, value)
		case []any:
			for _, name := range value {
				if text, ok := name.(string); ok {
					names = append(names, text)
				}
			}
		}
	}
	return names
}
