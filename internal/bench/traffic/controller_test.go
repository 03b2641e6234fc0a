package traffic

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// running is one Subject.
type running struct{ subject *subject.Running }

func (r running) Running(string) *subject.Running { return r.subject }

func newController() *Controller {
	return &Controller{
		Recorder: history.New(nil, nil), Subjects: running{ready()}, open: map[types.NamespacedName]*measurement{},
		Times:    func(string) expectation.Times { return expectation.Times{Scale: 2} },
		Workload: func(string) string { return "deployments.apps" },
		Statuses: func(key types.NamespacedName) (int64, error) {
			if key.Name != "statuses" {
				return 0, errors.New("there is no Observation " + key.Name)
			}
			return 1, nil
		},
	}
}

func trafficOf(name string, window time.Duration, requests *v1alpha1.NumberBound) *v1alpha1.Traffic {
	o := &v1alpha1.Traffic{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name)}}
	o.Spec = v1alpha1.TrafficSpec{WindowMs: window.Milliseconds(), Start: v1alpha1.StartNow}
	if requests != nil {
		o.Spec.Expect = &v1alpha1.TrafficExpectation{Requests: requests}
	}
	return o
}

// until looks at a Traffic until there is nothing more to see.
func (c *Controller) until(t *testing.T, traffic *v1alpha1.Traffic) {
	t.Helper()
	for {
		next, err := c.Advance(t.Context(), traffic)
		if err != nil {
			t.Fatal(err)
		}
		if next == 0 {
			return
		}
		if traffic.Status.Verdict != v1alpha1.JudgementPending {
			t.Fatalf("on its way: %+v", traffic.Status)
		}
		time.Sleep(next)
	}
}

// TestWindowIsOpenOnceItIsAdmitted: requests count from the admission on, though the
// cache shows the object long afterwards.
func TestWindowIsOpenOnceItIsAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController()
		send(c.Recorder, history.VerbList, "deployments", history.EffectNone)
		traffic := trafficOf("calm", 3*time.Second, &v1alpha1.NumberBound{Max: ptr.To[int64](0)})
		if err := c.Admit(t.Context(), traffic); err != nil {
			t.Fatal(err)
		}
		send(c.Recorder, history.VerbUpdate, "deployments", history.EffectEffective)
		time.Sleep(2 * time.Second)
		c.until(t, traffic)
		s := traffic.Status
		if s.Verdict != v1alpha1.JudgementNotMet || s.WindowMs != 3000 ||
			s.Message != "expected no requests, found 1 in 3s: #2 update deployments demo (effective)" {
			t.Errorf("status: %+v", s)
		}
	})
}

func TestBoundsBeyondAnotherTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController()
		send(c.Recorder, history.VerbList, "deployments", history.EffectNone)
		first := trafficOf("first", time.Second, nil)
		second := trafficOf("second", time.Second, &v1alpha1.NumberBound{Max: ptr.To[int64](0), Beyond: "first", BeyondStatuses: "statuses"})
		const unknown = "spec.expect.requests.beyond: there is no Traffic first that is complete"
		if err := c.Admit(t.Context(), second); err == nil || err.Error() != unknown {
			t.Errorf("beyond one that is not there: %v", err)
		}
		if err := c.Admit(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if err := c.Admit(t.Context(), second); err == nil || err.Error() != unknown {
			t.Errorf("beyond one that is not done: %v", err)
		}
		send(c.Recorder, history.VerbGet, "deployments", history.EffectNone)
		c.until(t, first)
		if first.Status.Verdict != v1alpha1.JudgementMet || first.Status.Requests != 1 {
			t.Errorf("status: %+v", first.Status)
		}
		if err := c.Admit(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			send(c.Recorder, history.VerbGet, "deployments", history.EffectNone)
		}
		c.until(t, second)
		if second.Status.Verdict != v1alpha1.JudgementMet || second.Status.Requests != 2 {
			t.Errorf("status: %+v", second.Status)
		}
		third := trafficOf("third", time.Second, second.Spec.Expect.Requests)
		if err := c.Admit(t.Context(), third); err != nil {
			t.Fatal(err)
		}
		c.Remove(client.ObjectKeyFromObject(first))
		c.until(t, third)
		if third.Status.Verdict != v1alpha1.JudgementInvalid || third.Status.Message != unknown {
			t.Errorf("status beyond one that is gone: %+v", third.Status)
		}
	})
}

func TestTrafficThatIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.TrafficSpec)
		want string
	}{
		"statuses of nothing": {
			func(s *v1alpha1.TrafficSpec) {
				s.Expect = &v1alpha1.TrafficExpectation{ByVerb: map[string]v1alpha1.NumberBound{"update": {BeyondStatuses: "nothing"}}}
			},
			"spec.expect.byVerb.update.beyondStatuses: there is no Observation nothing",
		},
		"a window in what is not declared": {
			func(s *v1alpha1.TrafficSpec) { s.Window = &v1alpha1.TimeBound{RetryPeriods: 1} },
			"computing the window: the profile declares no lease timings: give claims.times.lease",
		},
		"quiet in what is not declared": {
			func(s *v1alpha1.TrafficSpec) { s.QuietWithin = v1alpha1.TimeBound{RetryPeriods: 1} },
			"computing quietWithin: the profile declares no lease timings: give claims.times.lease",
		},
	} {
		c := newController()
		traffic := trafficOf("calm", time.Second, nil)
		tc.edit(&traffic.Spec)
		if err := c.Admit(t.Context(), traffic); err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
		if len(c.open) > 0 {
			t.Errorf("%s: it is measured", name)
		}
	}
}

func TestDryRunMeasuresNothing(t *testing.T) {
	c := newController()
	if err := c.Check(t.Context(), trafficOf("calm", time.Second, nil)); err != nil || len(c.open) > 0 {
		t.Errorf("%d measurements, %v", len(c.open), err)
	}
}

func TestBoundsAreScaled(t *testing.T) {
	plus := func(d time.Duration) v1alpha1.TimeBound {
		return v1alpha1.TimeBound{Plus: metav1.Duration{Duration: d}}
	}
	m := begin(t, v1alpha1.Claims{}, 3, v1alpha1.TrafficSpec{WindowMs: 1000, QuietWithin: plus(20 * time.Second)})
	window := begin(t, v1alpha1.Claims{}, 3, v1alpha1.TrafficSpec{Window: ptr.To(plus(5 * time.Second))})
	got := []time.Duration{m.window, m.patience, window.window}
	if diff := cmp.Diff([]time.Duration{time.Second, time.Minute, 15 * time.Second}, got); diff != "" {
		t.Errorf("window, quietWithin, computed window (-want +got):\n%s", diff)
	}
}

// TestExempted: if a Traffic is as expected only because of an exemption, it says so.
func TestExempted(t *testing.T) {
	for name, tc := range map[string]struct {
		exempt string
		max    int64
		want   string
	}{
		"needed":     {"deployments.apps", 1, "expected at most 1 requests, found 2 in 1s: #2 get deployments demo; #3 get deployments demo"},
		"not needed": {"deployments.apps", 2, ""},
		"not used":   {"services", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newController()
				c.Times = func(string) expectation.Times {
					return expectation.Times{Scale: 1, Claims: v1alpha1.Claims{Exempt: []v1alpha1.Exemption{{Resources: []string{tc.exempt}}}}}
				}
				send(c.Recorder, history.VerbList, "deployments", history.EffectNone)
				traffic := trafficOf("calm", time.Second, &v1alpha1.NumberBound{Max: &tc.max})
				if err := c.Admit(t.Context(), traffic); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					send(c.Recorder, history.VerbGet, "deployments", history.EffectNone)
				}
				c.until(t, traffic)
				if traffic.Status.Verdict != v1alpha1.JudgementMet || traffic.Status.Exempted != tc.want {
					t.Errorf("status: %+v", traffic.Status)
				}
				told := 0
				for _, event := range c.Recorder.Events(namespace) {
					if event.Reason == history.Exempted && event.Message == tc.want {
						told++
					}
				}
				if (told == 1) != (tc.want != "") {
					t.Errorf("told %d times", told)
				}
			})
		})
	}
}
