package heap

import "testing"

func TestGrowth(t *testing.T) {
	const mib, size = int64(1) << 20, int64(1) << 30
	for name, tc := range map[string]struct {
		live int64
		want int
	}{
		"not known yet":           {0, 200},
		"small":                   {100 * mib, 200},
		"three times is the size": {size / 3, 200},
		"half of the size":        {512 * mib, 100},
		"near the size":           {900 * mib, 60},
		"beyond the size":         {4096 * mib, 60},
	} {
		t.Run(name, func(t *testing.T) {
			if got := growth(tc.live, size); got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
}
