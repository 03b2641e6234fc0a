package explore

import (
	"slices"
	"strings"
	"testing"
)

// TestOperationsHaveDifferentNames: recordings are found by the names of their operations. If two
// operations had one name, one of them would not be disturbed.
func TestOperationsHaveDifferentNames(t *testing.T) {
	target := targetOf(t, "backup-any")
	for name, children := range map[string][]child{
		"kinds with one plural":     {{"services", "demo"}, {"services.serving.example.com", "demo"}},
		"a name that is made up":    {{"secrets", "demo"}, {"secrets", "demo-?????"}},
		"several of a kind":         {{"secrets", "demo"}, {"secrets", "demo-b"}, {"jobs.batch", "demo"}},
		"both, and another of each": {{"services", "a"}, {"services", "b"}, {"services.serving.example.com", "a"}},
	} {
		operations, err := target.operations(children)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, o := range operations {
			all = append(all, o.Name)
		}
		create := operations[0]
		for _, c := range children {
			all = append(all, create.after(c.marked(), c.mark()).Name, create.drifted(c, true).Name, create.after(holding+c.called(), c.mark()).Name)
		}
		slices.Sort(all)
		if different := slices.Compact(slices.Clone(all)); len(different) < len(all) {
			t.Errorf("%s: the names of operations: %s", name, strings.Join(all, ", "))
		}
	}
}
