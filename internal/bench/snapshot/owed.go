package snapshot

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// longestOwed is how long a Snapshot waits for an attempt that the controller owes.
	longestOwed = 90 * time.Second
	// untilRead is how long a write takes that is sent again after a pause.
	untilRead = 2 * time.Second
	// refusedForGood is how often the API server must refuse a write in a row, until the next
	// attempt is taken to be refused as well.
	refusedForGood = 3
)

// picture takes a Snapshot that is compared with no other, unless the controller owes an attempt.
func (c *Controller) picture(ctx context.Context, snapshot *v1alpha1.Snapshot, camera *camera, began *beginning) (v1alpha1.SnapshotStatus, error) {
	owed, due, err := c.owed(snapshot.Namespace, time.Now())
	if err != nil {
		return v1alpha1.SnapshotStatus{}, invalid{err}
	}
	if due && time.Since(began.at) < expectation.Scaled(longestOwed, c.Times(snapshot.Namespace).Scale) {
		return v1alpha1.SnapshotStatus{Phase: v1alpha1.SnapshotWaiting, Message: "waiting for another attempt at what failed (" + owed + ")"}, nil
	}
	status, err := camera.take(ctx, snapshot, c.Shown(snapshot.Namespace))
	if err == nil {
		status.Phase, status.Owed = v1alpha1.SnapshotTaken, owed
	}
	return status, err
}

// owed says which attempt of the controller in a namespace may still come, because a write has
// failed. It returns "" if there is none. due says whether the longest pause before that
// attempt is not over yet. After that pause a controller owes nothing, also one that has
// dropped the error, unless the pauses are only guessed.
func (c *Controller) owed(namespace string, now time.Time) (what string, due bool, err error) {
	if c.Owed == nil {
		return "", false, nil
	}
	failed, first := c.Owed(namespace)
	for _, one := range failed {
		if !one.IsWrite() || one.Refused >= refusedForGood {
			continue
		}
		times := c.Times(namespace)
		within, err := untilTriedAgain(times, first, one)
		if err != nil {
			return "", false, fmt.Errorf("computing the pause after %s: %w", one.InWords(), err)
		}
		due = due || now.Sub(one.End()) < within
		if retry := times.Claims.Times.Retry; due || retry != nil && retry.Guessed {
			what = fmt.Sprintf("%s: %d", one.InWords(), one.Code)
		}
	}
	return what, due, nil
}

// untilTriedAgain returns how long the pause after a failure may be. The controller may have
// failed since its first request, for a reason that no request shows.
func untilTriedAgain(times expectation.Times, first time.Time, failed history.Owed) (time.Duration, error) {
	if seen := times.Failing; seen != nil {
		times.Failing = func(began, until time.Time) (time.Duration, int) {
			long, attempts := seen(began, until)
			return max(long, began.Sub(first)), attempts
		}
	}
	return times.Within(v1alpha1.TimeBound{LongestPauses: 1, Plus: metav1.Duration{Duration: untilRead}}, failed.End())
}
