package garbage

import "testing"

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
