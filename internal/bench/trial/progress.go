package trial

import (
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// say notes what it is doing.
func (r *run) say(doing string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if doing != r.doing {
		r.doing, r.since = doing, time.Now()
	}
}

// reach notes whether the disturbance happened. Once it has, it stays so.
func (r *run) reach(happened bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = r.reached || happened
}

func (r *run) wasReached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reached
}

// status returns the status of the run as it is now.
func (r *run) status() v1alpha1.TrialStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done != nil {
		return *r.done
	}
	if time.Since(r.since) >= sayAfter {
		r.said = r.doing
	}
	return v1alpha1.TrialStatus{
		Phase: v1alpha1.TrialRunning, Verdict: v1alpha1.JudgementPending, Message: r.said, Reached: r.reached, Divergences: r.differs,
	}
}
