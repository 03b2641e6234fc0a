package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"reconform.dev/reconform/internal/profile/nearest"
)

// labelNames are the labels that a scenario may have.
func labelNames() []string {
	return []string{
		LabelID, LabelArea, LabelLevel, LabelContract, LabelFeature, LabelUnowned, LabelCleanup, LabelOwnership, LabelUnless,
		LabelPods, LabelRequires, LabelInCluster, LabelSlow, LabelSerial, LabelWhole, LabelWhereverSeen, LabelAny,
	}
}

// CheckSelector reports what makes a selector select nothing, or exclude nothing, whatever
// else it has: a label that no scenario may have, and a value that is asked for and that no
// requirement has. Errors of its syntax are left to [Chosen].
func CheckSelector(all []Requirement, text string) error {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil
	}
	asked, _ := selector.Requirements()
	for _, a := range asked {
		if err := checkLabel(all, a); err != nil {
			return fmt.Errorf("--selector: %w", err)
		}
	}
	return nil
}

func checkLabel(all []Requirement, asked labels.Requirement) error {
	var names []string
	for _, name := range labelNames() {
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	key := strings.TrimPrefix(asked.Key(), prefix)
	if !slices.Contains(names, key) {
		return fmt.Errorf("there is no label %s%s; there are: %s", asked.Key(), nearest.Question(key, names), strings.Join(names, ", "))
	}
	if operator := asked.Operator(); operator == selection.NotEquals || operator == selection.NotIn {
		return nil // a folder of one's own scenarios need not have any to exclude
	}
	there := map[string]bool{}
	for _, r := range all {
		there[r.Labels[prefix+key]] = true
	}
	delete(there, "")
	values := slices.Sorted(maps.Keys(there))
	for _, value := range asked.ValuesUnsorted() {
		if len(values) > 0 && !there[value] {
			known := "; there are: " + strings.Join(values, ", ")
			if prefix+key == LabelID {
				known = ""
			}
			return fmt.Errorf("no requirement has %s=%s%s%s", asked.Key(), value, nearest.Question(value, values), known)
		}
	}
	return nil
}
