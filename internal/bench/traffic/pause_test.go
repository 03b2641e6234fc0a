package traffic

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestLongestPause(t *testing.T) {
	done := &v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete}
	for name, tc := range map[string]struct {
		measurement *measurement
		want        time.Duration // 0: an error
	}{
		"of three":         {&measurement{done: done, pauses: []int64{1000, 3000, 2000}}, 3 * time.Second},
		"no two requests":  {&measurement{done: done}, 0},
		"not complete yet": {&measurement{pauses: []int64{1000}}, 0},
		"no such Traffic":  {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			key := types.NamespacedName{Namespace: "rt-010", Name: "creates"}
			c := &Controller{open: map[types.NamespacedName]*measurement{key: tc.measurement}}
			got, err := c.LongestPause(key)
			if got != tc.want || (err == nil) != (tc.want > 0) {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}
