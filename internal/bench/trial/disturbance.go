package trial

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// openFor is how long a request stays open while the replica that sent it is told to end.
const openFor = 1500 * time.Millisecond

// disturbance is a disturbance that can come into force.
type disturbance struct {
	v1alpha1.TrialDisturbance
	fault v1alpha1.Fault
	// lasts is true if it lasts until the operations are over.
	lasts bool
	// meanwhile is done while the request is open.
	meanwhile *operation
	// from is the index of the operation before which it comes into force.
	from int
	// also is a second one that comes into force with it, or nil.
	also *disturbance
}

// all returns the disturbance, and the second one if there is one.
func (d *disturbance) all() []*disturbance {
	if d.also == nil {
		return []*disturbance{d}
	}
	return []*disturbance{d, d.also}
}

// disturbance makes the Faults of the disturbances of a Trial, and lets the API server check
// them.
func (c *Controller) disturbance(ctx context.Context, trial *v1alpha1.Trial) (*disturbance, error) {
	d, err := c.oneDisturbance(ctx, trial, trial.Spec.Disturb, "-disturbance")
	if err != nil || trial.Spec.Also == nil {
		return d, err
	}
	if d.Fault == nil || d.hangs() || d.misses() {
		return nil, errors.New("also: it goes with a fault, but not with one that is waited for (hang, missDeletion)")
	}
	also := v1alpha1.TrialDisturbance{At: trial.Spec.Also.At, Fault: &trial.Spec.Also.Fault}
	if d.also, err = c.oneDisturbance(ctx, trial, &also, "-disturbance-also"); err != nil {
		return nil, fmt.Errorf("also: %w", err)
	}
	if d.also.lasts || d.also.hangs() {
		return nil, errors.New("also: it must be a fault that hits one request, and is over then")
	}
	return d, nil
}

// oneDisturbance makes the Fault of one disturbance. Ending is the end of its name.
func (c *Controller) oneDisturbance(ctx context.Context, trial *v1alpha1.Trial, given *v1alpha1.TrialDisturbance, ending string) (*disturbance, error) {
	d := &disturbance{TrialDisturbance: *given, from: len(trial.Spec.Operations) - 1}
	if given.From > 0 {
		d.from = int(given.From) - 1
	}
	action := v1alpha1.FaultAction{}
	switch {
	case given.Fault != nil:
		action = *given.Fault
		d.lasts = given.Lasting || action.Watch != nil || action.Stale != nil || action.Restored != nil || action.Pages != nil
	case given.Terminate != nil:
		action.DelayMs = ptr.To(openFor.Milliseconds())
	case given.Lease != "":
		if _, known := c.Profile(trial.Namespace).Lease(trial.Namespace); !known {
			return nil, errors.New("lease: the profile names no Lease (spec.launch.leaderElection)")
		}
		action.Hold = &v1alpha1.Empty{}
	case given.Meanwhile != nil:
		action.Hold = &v1alpha1.Empty{}
		if given.AnswerWaits {
			action = v1alpha1.FaultAction{HoldAnswer: &v1alpha1.Empty{}}
		}
		during, err := c.operation(trial.Namespace, *given.Meanwhile)
		if err != nil {
			return nil, fmt.Errorf("meanwhile: %w", err)
		}
		d.meanwhile = &during
	}
	if d.lasts && given.At.Occurrence > 0 {
		return nil, errors.New("at.occurrence: this fault is about all requests that match: leave it out")
	}
	d.fault = v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{Namespace: trial.Namespace, Name: trial.Name + ending}}
	d.fault.Spec = v1alpha1.FaultSpec{Target: given.At.Target, Action: action, Match: v1alpha1.FaultMatch{RequestMatch: match(given.At)}}
	if !d.lasts {
		d.fault.Spec.Times = ptr.To[int32](1)
		d.fault.Spec.Match.Skip = max(given.At.Occurrence, 1) - 1
	}
	if err := c.Client.Create(ctx, d.fault.DeepCopy(), client.DryRunAll); err != nil {
		return nil, fmt.Errorf("its Fault is refused: %w", err)
	}
	return d, nil
}

// holds says whether the disturbance itself keeps a request open.
func (d *disturbance) holds() bool {
	return d.fault.Spec.Action.Hold != nil || d.fault.Spec.Action.HoldAnswer != nil
}

// waitsFor says whether the disturbance keeps a request open until an operation is done.
func (d *disturbance) waitsFor(o operation) bool {
	return d.meanwhile != nil && d.meanwhile.TrialOperation == o.TrialOperation
}

// slowsLists says whether all that the disturbance does is that a list takes longer: then
// nothing has changed by it.
func (d *disturbance) slowsLists() bool {
	return d.Fault != nil && d.Fault.DelayMs != nil && d.At.Verb == history.VerbList && d.also == nil
}

// isNoFailure says whether it answers with Conflict (the object is another one by now, so look again) or
// with 429 (wait, and try again): a controller has nothing to tell of then, or does not know of it.
func (d *disturbance) isNoFailure() bool {
	respond := d.fault.Spec.Action.Respond
	return respond != nil && (respond.Code == http.StatusTooManyRequests ||
		respond.Code == http.StatusConflict && respond.Reason != string(metav1.StatusReasonAlreadyExists))
}

// match selects the requests of a point.
func match(point v1alpha1.TrialPoint) v1alpha1.RequestMatch {
	m := v1alpha1.RequestMatch{Subresource: point.Subresource}
	for _, one := range []struct {
		value string
		list  *[]string
	}{{point.Verb, &m.Verbs}, {point.Resource, &m.Resources}, {point.Name, &m.Names}} {
		if one.value != "" {
			*one.list = []string{one.value}
		}
	}
	return m
}
