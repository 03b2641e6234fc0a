package subject

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	two := &Running{Replicas: []string{"subject-0", "subject-1"}, Leader: "subject-1"}
	for name, tc := range map[string]struct {
		subject *Running
		target  string
		want    []string
		unknown string
	}{
		"all":            {two, "All", []string{"subject-0", "subject-1"}, ""},
		"left out":       {two, "", []string{"subject-0", "subject-1"}, ""},
		"leader":         {two, "Leader", []string{"subject-1"}, ""},
		"standby":        {two, "Standby", []string{"subject-0"}, ""},
		"by name":        {two, "subject-0", []string{"subject-0"}, ""},
		"no such name":   {two, "subject-7", nil, "the subject has no replica subject-7; give All, Leader, Standby or a replica's name"},
		"no leader":      {&Running{Replicas: []string{"subject-0"}}, "Standby", nil, "the subject has no leader"},
		"leader is only": {&Running{Replicas: []string{"subject-0"}, Leader: "subject-0"}, "Standby", nil, "the subject has no standby"},
	} {
		t.Run(name, func(t *testing.T) {
			got, unknown := tc.subject.Resolve(tc.target)
			if diff := cmp.Diff(tc.want, got); diff != "" || unknown != tc.unknown {
				t.Errorf("targets (-want +got):\n%s\nunknown: %q", diff, unknown)
			}
		})
	}
}
