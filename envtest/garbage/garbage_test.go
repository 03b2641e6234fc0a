package garbage

import (
	"os"
	"strings"
	"testing"
)

// TestHeapVariable: the programs that get the size of their heap read that variable. They
// are in a module of their own.
func TestHeapVariable(t *testing.T) {
	source, err := os.ReadFile("../assets/k8s/heap/heap.go")
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(EnvironmentOfStore()[2], "=")
	if want := `const Variable = "` + name + `"`; !strings.Contains(string(source), want) {
		t.Errorf("heap.go lacks %s", want)
	}
}

func TestLimitOfStore(t *testing.T) {
	const gib = int64(1) << 30
	for name, tc := range map[string]struct{ memory, want int64 }{
		"unknown":        {0, 3 * gib / 2},
		"a small laptop": {8 * gib, 3 * gib / 2},
		"a CI machine":   {16 * gib, 2 * gib},
		"a large one":    {256 * gib, 3 * gib},
	} {
		t.Run(name, func(t *testing.T) {
			if got := limitOfStore(tc.memory); got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
}
