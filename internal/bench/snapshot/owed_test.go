package snapshot

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// TestOwed: an attempt is owed until it succeeds, or until the longest pause is over in which
// it must have come. The pauses of this controller begin with 5 s, and double.
func TestOwed(t *testing.T) {
	type sent struct {
		after time.Duration // the request before
		verb  string
		code  int
	}
	update := func(after time.Duration, code int) sent { return sent{after, history.VerbUpdate, code} }
	for name, tc := range map[string]struct {
		sent      []sent
		now       time.Duration // after the last of them
		guessed   bool
		owed, due bool
	}{
		"nothing failed":                 {sent: []sent{update(0, 200)}},
		"a conflict just now":            {sent: []sent{update(0, 409)}, now: time.Second, owed: true, due: true},
		"in the pause":                   {sent: []sent{update(0, 409)}, now: 9 * time.Second, owed: true, due: true},
		"after the pause":                {sent: []sent{update(0, 409)}, now: 13 * time.Second},
		"failing for a while":            {sent: []sent{update(0, 200), update(40*time.Second, 409)}, now: 30 * time.Second, owed: true, due: true},
		"failing, and the error dropped": {sent: []sent{update(0, 200), update(40*time.Second, 409)}, now: 80 * time.Second},
		"tried again":                    {sent: []sent{update(0, 409), update(5*time.Second, 200)}},
		"a read":                         {sent: []sent{{0, history.VerbGet, 500}}, now: time.Second},
		"refused for good":               {sent: []sent{update(0, 422), update(time.Second, 422), update(time.Second, 422)}},
		"refused twice":                  {sent: []sent{update(0, 422), update(time.Second, 422)}, owed: true, due: true},
		"a busy server":                  {sent: []sent{update(0, 500), update(time.Second, 500), update(time.Second, 500)}, owed: true, due: true},
		"the pauses are guessed":         {sent: []sent{update(0, 409)}, now: time.Hour, guessed: true, owed: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				for _, s := range tc.sent {
					time.Sleep(s.after)
					request := history.Request{Scenario: "ns", Verb: s.verb, Group: "example.com", Resource: "sites", Subresource: "status", Name: "demo"}
					recorder.Begin(request).Finish(func(r *history.Request) {
						r.Code = s.code
						if s.code == http.StatusConflict {
							r.Reason = string(metav1.StatusReasonConflict)
						}
					})
				}
				time.Sleep(tc.now)
				retry := &v1alpha1.RetrySchedule{First: metav1.Duration{Duration: 5 * time.Second}, Factor: 2, Longest: metav1.Duration{Duration: 1000 * time.Second}, Guessed: tc.guessed}
				c := &Controller{
					Owed: func(namespace string) ([]history.Owed, time.Time) {
						return recorder.Owed(namespace, 0), recorder.Requests(history.Query{Scenario: namespace})[0].Time
					},
					Times: func(namespace string) expectation.Times {
						return expectation.Times{
							Claims: v1alpha1.Claims{Times: v1alpha1.Times{Retry: retry}},
							Failing: func(began, until time.Time) (time.Duration, int) {
								return recorder.Failing(namespace, schema.GroupResource{Group: "example.com", Resource: "sites"}, began, until)
							},
						}
					},
				}
				what, due, err := c.owed("ns", time.Now())
				if err != nil || (what != "") != tc.owed || due != tc.due {
					t.Errorf("owed %q, due %t, %v; want %t and %t", what, due, err, tc.owed, tc.due)
				}
			})
		})
	}
}

// TestTakenWhileAnAttemptIsOwed: a Snapshot is not taken while an attempt is owed. If it has
// waited in vain, what differs from it accuses nobody.
func TestTakenWhileAnAttemptIsOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
		c, live, reader := controllerOf(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "demo"}})
		failed := []history.Owed{{Request: history.Request{Verb: history.VerbUpdate, Resource: "sites", Name: "demo", Code: http.StatusConflict, Finished: true, Time: time.Now()}}}
		c.Owed = func(string) ([]history.Owed, time.Time) { return failed, time.Now() }
		c.Times = func(string) expectation.Times {
			return expectation.Times{Claims: v1alpha1.Claims{Times: v1alpha1.Times{LongestRetryPause: metav1.Duration{Duration: time.Hour}}}}
		}
		advance := func(snapshot *v1alpha1.Snapshot) v1alpha1.SnapshotStatus {
			t.Helper()
			if _, err := c.Advance(t.Context(), snapshot); err != nil {
				t.Fatal(err)
			}
			return snapshot.Status
		}
		before := &v1alpha1.Snapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "before"}, Spec: v1alpha1.SnapshotSpec{Resources: []string{"configmaps"}}}
		if err := c.Admit(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if status := advance(before); status.Phase != v1alpha1.SnapshotWaiting || !status.Verdict.IsPending() {
			t.Fatalf("at once it is %s, %s", status.Phase, status.Verdict)
		}
		time.Sleep(longestOwed)
		if status := advance(before); status.Verdict != v1alpha1.JudgementMet || status.Owed != "#0 update sites demo: 409" {
			t.Fatalf("at last it is %s, owed %q", status.Verdict, status.Owed)
		}
		if err := reader.Create(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		failed = nil
		if err := live.Resource(configMaps).Namespace("ns").Delete(t.Context(), "demo", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		after := &v1alpha1.Snapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "after"}, Spec: v1alpha1.SnapshotSpec{Resources: []string{"configmaps"}, Compare: "before"}}
		if status := advance(after); status.Verdict != v1alpha1.JudgementInvalid {
			t.Errorf("it differs from what was owed, and is %s: %s", status.Verdict, status.Message)
		}
	})
}
