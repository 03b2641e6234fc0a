package trial

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile"
)

// leading is a Subject whose leader changes after some time, if it is not 0.
type leading struct {
	client.Client
	began time.Time
	after time.Duration
}

func (leading) Create(context.Context, client.Object, ...client.CreateOption) error { return nil }
func (leading) Delete(context.Context, client.Object, ...client.DeleteOption) error { return nil }

func (l leading) Running(string) *subject.Running {
	if l.after > 0 && time.Since(l.began) > l.after {
		return &subject.Running{Leader: "subject-1"}
	}
	return &subject.Running{Leader: "subject-0"}
}

// TestLeaseLost: if the leader cannot renew its Lease, another replica takes over. One that never does
// is told.
func TestLeaseLost(t *testing.T) {
	for name, tc := range map[string]struct {
		after time.Duration
		want  int
	}{
		"it takes over": {30 * time.Second, 0},
		"it never does": {0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			state := leading{began: time.Now(), after: tc.after}
			r := &run{
				Controller: &Controller{Client: state, Subjects: state, Profile: func(string) *profile.Profile { return &profile.Profile{} }},
				within:     10 * time.Second, disturbance: &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Lease: v1alpha1.LeaseLost}},
			}
			if err := r.disturbLease(t.Context()); err != nil || len(r.divergences) != tc.want {
				t.Errorf("%s: %v, %+v", name, err, r.divergences)
			} else if tc.want > 0 && (r.divergences[0].Path != HarmNoSuccessor || r.divergences[0].Object != "subject-0") {
				t.Errorf("%s: %+v", name, r.divergences)
			}
		})
	}
}
