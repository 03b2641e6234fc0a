package trial

import "testing"

func TestFinalizerOfSomebodyElse(t *testing.T) {
	with := versionOf(t, "apps", "10", 0, "metadata: {uid: one, finalizers: [reconform.dev/of-others]}")
	without := versionOf(t, "apps", "20", 0, "metadata: {uid: one}")
	gone := without
	gone.gone = true
	goneWith := versionOf(t, "apps", "20", 0, "metadata: {uid: one, finalizers: [reconform.dev/of-others]}")
	goneWith.gone = true
	anew := versionOf(t, "apps", "30", 0, "metadata: {uid: two}")
	for name, tc := range map[string]struct {
		versions []version
		want     int
	}{
		"it stays":                {[]version{with, with}, 0},
		"it is taken off":         {[]version{with, without}, 1},
		"and the object goes":     {[]version{with, without, gone}, 1},
		"the object goes with it": {[]version{with, goneWith}, 1},
		"it was never there":      {[]version{without}, 0},
		"there is another object": {[]version{with, anew}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markHarm(map[string][]version{"apps demo": tc.versions}); len(got) != tc.want {
				t.Errorf("harm: %v, want %d", got, tc.want)
			}
		})
	}
}
