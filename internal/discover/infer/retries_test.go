package infer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestSchedule(t *testing.T) {
	const ms = time.Millisecond
	growing := func(first time.Duration, factor float64) v1alpha1.RetrySchedule {
		return v1alpha1.RetrySchedule{First: metav1.Duration{Duration: first}, Factor: factor}
	}
	// ended is a schedule that would have shown more attempts.
	ended := func(first time.Duration) v1alpha1.RetrySchedule {
		return v1alpha1.RetrySchedule{First: metav1.Duration{Duration: first}, Factor: 2, Longest: metav1.Duration{Duration: RetryLook}}
	}
	constant := func(pause time.Duration) v1alpha1.RetrySchedule {
		return v1alpha1.RetrySchedule{First: metav1.Duration{Duration: pause}, Factor: 1, Longest: metav1.Duration{Duration: pause}}
	}
	for name, tc := range map[string]struct {
		pauses []time.Duration
		want   v1alpha1.RetrySchedule
		why    string
	}{
		"they double":        {[]time.Duration{210 * ms, 410 * ms, 820 * ms, 1620 * ms}, growing(210*ms, 2), "and grew"},
		"they treble":        {[]time.Duration{100 * ms, 300 * ms, 900 * ms, 2690 * ms}, growing(100*ms, 3), "and grew"},
		"by a half":          {[]time.Duration{2000 * ms, 3000 * ms, 4480 * ms}, growing(2*time.Second, 2), "and grew"},
		"at once, then more": {[]time.Duration{0, 5 * ms, 11 * ms}, growing(5*ms, 2.5), "and grew"},
		"of two objects":     {[]time.Duration{200 * ms, 180 * ms, 330 * ms, 220 * ms, 350 * ms, 580 * ms, 1280 * ms, 1400 * ms}, growing(180*ms, 2), "and grew"},
		"others between":     {[]time.Duration{100 * ms, 140 * ms, 210 * ms, 370 * ms, 690 * ms, 50 * ms, 2620 * ms, 60 * ms}, growing(50*ms, 2), "and grew"},
		"busy at first":      {[]time.Duration{100 * ms, 40 * ms, 30 * ms, 190 * ms, 810 * ms, 1620 * ms, 3240 * ms}, growing(30*ms, 2), "and grew"},
		"an event at first":  {[]time.Duration{50 * ms, 5020 * ms, 5010 * ms, 5020 * ms}, constant(10 * time.Second), "twice the last"},
		"irregular":          {[]time.Duration{3000 * ms, 1000 * ms, 2000 * ms}, growing(6*time.Second, 2), "not a schedule"},
		"always a second":    {[]time.Duration{1010 * ms, 1020 * ms, 1010 * ms}, constant(2 * time.Second), "twice the last"},
		"grew up to two":     {[]time.Duration{500 * ms, 1000 * ms, 2000 * ms, 2010 * ms, 1990 * ms}, constant(4 * time.Second), "twice the last"},
		"one wakes the next": {slices.Repeat([]time.Duration{280 * ms, 310 * ms, 300 * ms, 280 * ms}, 60), growing(time.Minute, 2), "wake the next"},
		"a few, by events":   {[]time.Duration{280 * ms, 310 * ms, 300 * ms, 280 * ms}, ended(2 * time.Second), "then there were none"},
		"two show little":    {[]time.Duration{2500 * ms, 2500 * ms}, ended(5 * time.Second), "too few"},
		"one, by an event":   {[]time.Duration{190 * ms}, ended(2 * time.Second), "too few"},
		"one shows little":   {[]time.Duration{20 * time.Second}, growing(40*time.Second, 2), "too few"},
		"no second attempt":  {nil, v1alpha1.RetrySchedule{First: metav1.Duration{Duration: 70 * time.Second}, Factor: 1, Longest: metav1.Duration{Duration: 70 * time.Second}, Guessed: true}, "no second attempt"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := schedule(tc.pauses)
			if diff := cmp.Diff(tc.want, got); diff != "" || !strings.Contains(why, tc.why) {
				t.Errorf("%s(-want +got):\n%s", why, diff)
			}
		})
	}
}

// A look goes on until the attempts show a schedule.
func TestShowSchedule(t *testing.T) {
	start := time.Now()
	for name, tc := range map[string]struct {
		seconds []float64 // of the attempts
		want    bool
	}{
		"no second attempt":  {[]float64{0}, false},
		"too few":            {[]float64{0, 1, 2}, false},
		"each second":        {[]float64{0, 1, 2, 3}, true},
		"they double":        {[]float64{0, 0.2, 0.6, 1.4, 3}, true},
		"events cause them":  {[]float64{0, 0.1, 0.3, 0.4, 0.5}, false},
		"a late one as well": {[]float64{0, 0.1, 0.3, 0.4, 30}, true},
		"a busy machine":     {[]float64{0, 0.1, 0.14, 0.17, 0.36, 1.17}, false},
		"and two more":       {[]float64{0, 0.1, 0.14, 0.17, 0.36, 1.17, 2.79, 6.03}, true},
		"an event, then two": {[]float64{0, 0.05, 5.07, 10.08}, false},
		"an event and three": {[]float64{0, 0.05, 5.07, 10.08, 15.1}, true},
		"up to two seconds":  {[]float64{0, 0.5, 1.5, 3.5, 5.5}, false},
		"with much jitter":   {[]float64{0, 0.7, 1.7, 4.7, 8.7}, true},
	} {
		var attempts []time.Time
		for _, s := range tc.seconds {
			attempts = append(attempts, start.Add(time.Duration(s*float64(time.Second))))
		}
		if got := ShowSchedule(attempts); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestFewAttempts: what few attempts show is asked. If no other one came, that may be a
// mistake, and it is said once: as a doubt, and not as a question, too.
func TestFewAttempts(t *testing.T) {
	for name, tc := range map[string]struct {
		seconds []float64 // of the attempts
		asks    string    // in the first question, if there is one
		doubt   string
	}{
		"two, and no more":   {[]float64{0, 0.2}, "", "after 2 attempts at what failed, no other one came in 1m10s: does it give up?"},
		"three, and no more": {[]float64{0, 0.2, 0.5}, "", "after 3 attempts"},
		"two, one late":      {[]float64{0, 40}, "as only 2 attempts were seen", ""},
		"a schedule":         {[]float64{0, 0.2, 0.6, 1.4, 3}, "longest was not seen", ""},
		"only one":           {[]float64{0}, "", "the answer to #13 create deployments was 500, and the controller did not try again in 1m10s"},
		"none at all":        {nil, "does it try again at all", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.Acts = append(r.Acts, Act{Deed: Hinder, Object: "refused", After: 60, Until: 69, AfterSeq: 12, UntilSeq: 99})
			for n, at := range tc.seconds {
				r.Account.Requests = append(r.Account.Requests, history.Request{
					Seq: int64(13 + n), Time: time.Unix(0, int64(at*float64(time.Second))), Verb: history.VerbCreate, Group: "apps", Resource: "deployments",
					Code: 500, Effect: history.EffectRefused, Fault: "hinder",
				})
			}
			f := &finder{Record: r, Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}}
			f.workload, _ = r.workload("Deployment")
			f.findRetries()
			asked, doubts := f.Asked["claims.times.retry"], ""
			for _, doubt := range f.Doubts {
				doubts += doubt.Text
			}
			if (len(asked) == 0) != (tc.asks == "") || len(asked) > 0 && !strings.Contains(asked[0].Text, tc.asks) || !strings.HasPrefix(doubts, tc.doubt) || (doubts == "") != (tc.doubt == "") {
				t.Errorf("it asks %v, and doubts %q", asked, doubts)
			}
		})
	}
}

// TestDoubtEnding: a process that ends when a write is refused is doubted, and not one that ends
// at another time.
func TestDoubtEnding(t *testing.T) {
	hindered := Act{Deed: Hinder, Object: "refused", AfterSeq: 12, UntilSeq: 20}
	crashed := func(seq int64) history.Event {
		return history.Event{Seq: seq, Reason: history.ReplicaCrashed, Message: "exited with status 1; its last words: HTTP Error 403"}
	}
	retry, longest := v1alpha1.Times{Retry: &v1alpha1.RetrySchedule{}}, v1alpha1.Times{}
	const told = "the creation of its Deployment was refused, and the process ended by itself twice: exited with status 1; its last words: HTTP Error 403. So one"
	for name, tc := range map[string]struct {
		acts   []Act
		events []history.Event
		times  v1alpha1.Times
		path   string // of the doubt; empty if there is none
	}{
		"it ended":               {[]Act{hindered}, []history.Event{crashed(13), crashed(20)}, retry, "claims.times.retry"},
		"the pauses were equal":  {[]Act{hindered}, []history.Event{crashed(13), crashed(20)}, longest, "claims.times.longestRetryPause"},
		"it ended before, after": {[]Act{hindered}, []history.Event{crashed(12), crashed(21)}, retry, ""},
		"it was told to end":     {[]Act{hindered}, []history.Event{{Seq: 14, Reason: history.ReplicaTerminated}}, retry, ""},
		"nothing was refused":    {nil, []history.Event{crashed(13)}, retry, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Record: &Record{Acts: tc.acts}}
			f.Account.Events, f.Spec.Claims.Times, f.workload.Kind = tc.events, tc.times, "Deployment"
			f.doubtEnding()
			if tc.path == "" && len(f.Doubts) == 0 {
				return
			}
			if len(f.Doubts) != 1 || f.Doubts[0].Path != tc.path || !strings.HasPrefix(f.Doubts[0].Text, told) {
				t.Errorf("doubts %+v, want one at %q: %s", f.Doubts, tc.path, told)
			}
		})
	}
}

// TestNoFailureTried: what was not tried was not seen.
func TestNoFailureTried(t *testing.T) {
	f := &finder{Record: &Record{Untried: []string{"a child that is refused", "the end of the process"}}}
	f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
	f.findRetries()
	f.askLeftOut()
	f.findTrouble()
	f.findEnd()
	if asked := f.Asked["claims.reporting"]; len(asked) != 1 || asked[0].Text != "no failure was tried: which one does?" {
		t.Errorf("asked about failures: %+v", asked)
	}
	if asked := f.Asked["claims.features"]; len(asked) != 1 || asked[0].Text != "sigint is not claimed, as it was not tried: does SIGINT end it?" {
		t.Errorf("asked about the end: %+v", asked)
	}
	if got := f.Notes["claims.times.retry"].Text; got != "no failure was tried" {
		t.Errorf("the note is %q", got)
	}
	const want = "not tried, or not finished, because the time of --max-time was over: a child that is refused, the end of the process. What they would have shown is not claimed, or is a guess"
	if asked := f.Asked["claims"]; len(asked) != 1 || asked[0].Text != want {
		t.Errorf("asked: %+v, want %q", asked, want)
	}
}
