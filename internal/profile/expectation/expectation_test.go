package expectation

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func duration(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }

// measured are the longest pauses, of the Traffic creates only.
func measured(traffic string) (time.Duration, error) {
	if traffic != "creates" {
		return 0, errors.New("there is no Traffic " + traffic)
	}
	return 3 * time.Second, nil
}

func TestWithin(t *testing.T) {
	claims := v1alpha1.Claims{ClientQPS: 20, Times: v1alpha1.Times{
		LongestRetryPause: duration(100 * time.Second), Resync: duration(30 * time.Second), Silence: duration(45 * time.Second), ShutdownGrace: duration(10 * time.Second),
		Lease: &v1alpha1.LeaseTimes{Duration: duration(15 * time.Second), RenewDeadline: duration(10 * time.Second), RetryPeriod: duration(2 * time.Second)},
	}}
	for name, tc := range map[string]struct {
		bound v1alpha1.TimeBound
		scale float64
		want  time.Duration
	}{
		"nothing":         {v1alpha1.TimeBound{}, 1, 0},
		"a plain time":    {v1alpha1.TimeBound{Plus: duration(20 * time.Second)}, 1, 20 * time.Second},
		"scaled":          {v1alpha1.TimeBound{Plus: duration(20 * time.Second)}, 2.5, 50 * time.Second},
		"scaled down":     {v1alpha1.TimeBound{Plus: duration(20 * time.Second)}, 0.2, 4 * time.Second},
		"hardly less":     {v1alpha1.TimeBound{Plus: duration(5 * time.Second)}, 0.2, 3 * time.Second},
		"short as it is":  {v1alpha1.TimeBound{Plus: duration(time.Second)}, 0.2, time.Second},
		"a lease stays":   {v1alpha1.TimeBound{LeaseDurations: 1, Plus: duration(20 * time.Second)}, 0.2, 19 * time.Second},
		"a grace stays":   {v1alpha1.TimeBound{ShutdownGraces: 1}, 0.2, 10 * time.Second},
		"no scale":        {v1alpha1.TimeBound{Plus: duration(20 * time.Second)}, 0, 20 * time.Second},
		"a take-over":     {v1alpha1.TimeBound{LeaseDurations: 1, RetryPeriods: 4.4, Plus: duration(5 * time.Second)}, 1, 28800 * time.Millisecond},
		"renew deadline":  {v1alpha1.TimeBound{RenewDeadlines: 0.5}, 1, 5 * time.Second},
		"retries":         {v1alpha1.TimeBound{LongestPauses: 2, Plus: duration(10 * time.Second)}, 1, 210 * time.Second},
		"resync, grace":   {v1alpha1.TimeBound{Resyncs: 1, ShutdownGraces: 1}, 1, 40 * time.Second},
		"silence":         {v1alpha1.TimeBound{Silences: 2}, 1, 90 * time.Second},
		"client requests": {v1alpha1.TimeBound{ClientRequests: 4000}, 2, 400 * time.Second},
		"measured": {
			v1alpha1.TimeBound{Measured: &v1alpha1.MeasuredPauses{Of: "creates", LongestPauses: 2.5}, Plus: duration(time.Second)},
			2, 17 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Times{Claims: claims, Scale: tc.scale, LongestPause: measured}.Within(tc.bound, time.Now())
			if err != nil || got != tc.want {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}

func TestWithinNeedsWhatItSpeaksOf(t *testing.T) {
	if _, err := (Times{}).Within(v1alpha1.TimeBound{RetryPeriods: 1}, time.Now()); err == nil {
		t.Error("a bound in retry periods is computed without any")
	}
	unmeasured := v1alpha1.TimeBound{Measured: &v1alpha1.MeasuredPauses{Of: "updates", LongestPauses: 1}}
	if _, err := (Times{LongestPause: measured}).Within(unmeasured, time.Now()); err == nil {
		t.Error("a bound in measured pauses is computed without any")
	}
	got, err := Times{}.Within(v1alpha1.TimeBound{ClientRequests: 4000, Plus: duration(time.Second)}, time.Now())
	if err != nil || got != time.Second {
		t.Errorf("without a limit on requests: %s, %v; want 1s", got, err)
	}
}

func TestBroken(t *testing.T) {
	for name, tc := range map[string]struct {
		found    int64
		min, max *int64
		want     string
	}{
		"none":        {0, nil, ptr.To[int64](0), ""},
		"one":         {1, nil, ptr.To[int64](0), "expected no writes, found 1"},
		"few":         {20, ptr.To[int64](1), ptr.To[int64](20), ""},
		"too many":    {21, ptr.To[int64](1), ptr.To[int64](20), "expected 1 to 20 writes, found 21"},
		"not enough":  {0, ptr.To[int64](1), nil, "expected at least 1 writes, found 0"},
		"not exactly": {2, ptr.To[int64](1), ptr.To[int64](1), "expected exactly 1 writes, found 2"},
		"above":       {3, nil, ptr.To[int64](2), "expected at most 2 writes, found 3"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Number{Name: "writes", Found: tc.found, Bounds: &v1alpha1.NumberBound{Min: tc.min, Max: tc.max}}.Broken()
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if got := (Number{Found: 7}).Broken(); got != "" {
		t.Errorf("a number without bounds: %q", got)
	}
}

// A limit follows the schedule of the attempts: a pause is never longer than the time since
// the first failure allows.
func TestWithinSchedule(t *testing.T) {
	growing := func(first time.Duration, factor float64, longest time.Duration) v1alpha1.Times {
		return v1alpha1.Times{Retry: &v1alpha1.RetrySchedule{First: duration(first), Factor: factor, Longest: duration(longest)}}
	}
	usual := growing(5*time.Millisecond, 2, 1000*time.Second)
	for name, tc := range map[string]struct {
		times  v1alpha1.Times
		pauses float64
		began  time.Duration // after the first request
		fault  time.Duration // after the beginning
		want   time.Duration
		failed int // attempts to serve one object
	}{
		"no pauses":                 {usual, 0, 40 * time.Second, 0, 20 * time.Second, 0},
		"at the start":              {usual, 1, 0, 0, 30 * time.Second, 0},
		"doubling for 40 s":         {usual, 1, 40 * time.Second, 0, 81 * time.Second, 0},
		"until a Fault ends":        {usual, 1, 40 * time.Second, 20 * time.Second, 111 * time.Second, 0},
		"two":                       {usual, 2, 40 * time.Second, 0, 142 * time.Second, 0},
		"never more than longest":   {usual, 1, time.Hour, 0, 1020 * time.Second, 0},
		"by three":                  {growing(time.Second, 3, time.Hour), 1, 20 * time.Second, 0, 82 * time.Second, 0},
		"a long first":              {growing(time.Minute, 2, time.Hour), 1, 0, 0, 110 * time.Second, 0},
		"always the same":           {growing(time.Minute, 1, time.Minute), 1, time.Hour, 0, 80 * time.Second, 0},
		"shorter than a busy while": {growing(time.Millisecond, 2, 2*time.Second), 1, time.Minute, 0, 22 * time.Second, 0},
		"only the longest":          {v1alpha1.Times{LongestRetryPause: duration(100 * time.Second)}, 1, 0, 0, 120 * time.Second, 0},
		"woken by events":           {usual, 1, 4 * time.Second, 0, 20*time.Second + 41*time.Second, 13},
		"woken again and again":     {usual, 1, 4 * time.Second, 0, 1020 * time.Second, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			began := start.Add(tc.began)
			times := Times{Claims: v1alpha1.Claims{Times: tc.times}, Failing: func(from, until time.Time) (time.Duration, int) {
				if hit := from.Add(tc.fault); hit.Before(until) || tc.fault == until.Sub(from) {
					return hit.Sub(start), tc.failed
				}
				return from.Sub(start), tc.failed
			}}
			got, err := times.Within(v1alpha1.TimeBound{LongestPauses: tc.pauses, Plus: duration(20 * time.Second)}, began)
			if err != nil || got != tc.want {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}

// TestAttempts: each attempt that fails gives the next one as long as the longest pause, until
// there have been enough of them.
func TestAttempts(t *testing.T) {
	never := time.Duration(-1)
	for name, tc := range map[string]struct {
		failed time.Duration // after the beginning
		want   time.Duration
	}{
		"none has failed":           {never, 80 * time.Second},
		"the first failed at once":  {0, 80 * time.Second},
		"the second failed":         {69 * time.Second, 149 * time.Second},
		"they fail again and again": {10 * time.Minute, 220 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			times := Times{
				Claims: v1alpha1.Claims{Times: v1alpha1.Times{LongestRetryPause: duration(70 * time.Second)}},
				LastFailure: func() time.Time {
					if tc.failed == never {
						return time.Time{}
					}
					return began.Add(tc.failed)
				},
			}
			got, err := times.Within(v1alpha1.TimeBound{Attempts: 3, Plus: duration(10 * time.Second)}, began)
			if err != nil || got != tc.want {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
			times.LastFailure = nil
			if got, err := times.Within(v1alpha1.TimeBound{Attempts: 3, Plus: duration(10 * time.Second)}, began); err != nil || got != 220*time.Second {
				t.Errorf("without a record: got %s, %v; want all pauses", got, err)
			}
		})
	}
}
