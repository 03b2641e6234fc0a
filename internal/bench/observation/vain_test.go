package observation

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// A wait that is given up ends as if its time were over. The message says that it was
// given up.
func TestGiveUp(t *testing.T) {
	spec := v1alpha1.ObservationSpec{
		Resource: "webapps", Eventually: running,
		Within: &v1alpha1.TimeBound{Plus: metav1.Duration{Duration: 5 * time.Second}}, // 10 s, by the scale
	}
	j := newTestJudge(t, spec)
	j.version(seen{name: "demo", phase: "Starting"}.version(0), watch.Modified, began.Add(time.Second))
	left, message, waits := j.waits(began.Add(4 * time.Second))
	if !waits || left != 6*time.Second || !strings.Contains(message, " within 10s, seen at the end: demo {") {
		t.Errorf("waits %t, for %s, and would say %q", waits, left, message)
	}
	if status, _ := j.status(began.Add(5 * time.Second)); status.Verdict != v1alpha1.JudgementPending {
		t.Errorf("to ask it has ended the wait: %s", status.Verdict)
	}
	j.giveUp("given up after 3s")
	j.version(seen{name: "demo", phase: "Running"}.version(1), watch.Modified, began.Add(6*time.Second))
	status, next := j.status(began.Add(7 * time.Second))
	if status.Verdict != v1alpha1.JudgementNotMet || next != 0 || !strings.Contains(status.Message, " within 10s (given up after 3s), seen at the end: demo {") {
		t.Errorf("given up, it is %s, and says %q", status.Verdict, status.Message)
	}
	if _, _, waits := j.waits(began.Add(8 * time.Second)); waits {
		t.Error("given up, it still waits")
	}
}

func TestGiveUpChangesNothingThatCame(t *testing.T) {
	j := newTestJudge(t, v1alpha1.ObservationSpec{Resource: "webapps", Eventually: running})
	j.version(seen{name: "demo", phase: "Running"}.version(0), watch.Modified, began.Add(time.Second))
	if _, _, waits := j.waits(began.Add(2 * time.Second)); waits {
		t.Error("it waits for what came")
	}
	j.giveUp("given up after 3s")
	if status, _ := j.status(began.Add(3 * time.Second)); status.Verdict != v1alpha1.JudgementMet {
		t.Errorf("what came is %s: %s", status.Verdict, status.Message)
	}
}
