package traffic

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestNotAllShorter: one attempt that comes early for another reason does no harm.
func TestNotAllShorter(t *testing.T) {
	for name, tc := range map[string]struct {
		pauses []int64
		broken string
	}{
		"none":                        {},
		"one":                         {pauses: []int64{1}},
		"growing":                     {pauses: []int64{10, 20, 40, 80}},
		"one is early":                {pauses: []int64{100, 200, 400, 3, 60, 2}},
		"all of the last are early":   {pauses: []int64{100, 200, 400, 3, 49, 2}, broken: "expected one of the last pauses to be as long as the first, found [100 200 400 3 49 2] ms"},
		"all the same":                {pauses: []int64{5, 5, 5, 5, 5, 5}},
		"half as long is not shorter": {pauses: []int64{100, 100, 100, 50, 50, 50}},
	} {
		t.Run(name, func(t *testing.T) {
			got := judgePauses(&v1alpha1.TrafficExpectation{Pauses: v1alpha1.PausesNotAllShorter}, tc.pauses)
			if len(got) > 1 || len(got) == 1 && got[0] != tc.broken || len(got) == 0 && tc.broken != "" {
				t.Errorf("found %q, want %q", got, tc.broken)
			}
		})
	}
}

// TestPerResync: the bound grows with the number of resyncs in the window, and a resync
// period that is far longer than the window adds nothing.
func TestPerResync(t *testing.T) {
	for name, tc := range map[string]struct {
		resync time.Duration
		most   int64
	}{
		"none declared":           {0, 2},
		"far longer":              {10 * time.Hour, 2},
		"as long as the window":   {10 * time.Second, 12},
		"a part of a period more": {8 * time.Second, 14},
		"many":                    {time.Second, 102},
	} {
		t.Run(name, func(t *testing.T) {
			m := &measurement{}
			m.claims.Times.Resync.Duration = tc.resync
			p := part{bounds: &v1alpha1.NumberBound{Max: ptr.To[int64](2), PerResync: 10}}
			if got := m.widen(p, v1alpha1.TrafficStatus{WindowMs: 10_000}, limits{}); *got.Max != tc.most {
				t.Errorf("at most %d, want %d", *got.Max, tc.most)
			}
		})
	}
}
