package disruption

import (
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// fresh is how long after a renewal of the Lease the next renewal is not due yet.
	fresh = 500 * time.Millisecond
	// idle is a time in which every leader renews its Lease.
	idle = 5 * time.Second
	// patience is the longest wait for a good moment.
	patience = 10 * time.Second
)

// awaitsRenewal says whether a replica that will be told to end is just renewing the
// Lease, or is about to renew it. client-go cancels such a request. The request may still
// take effect, and then client-go cannot release the Lease, because it knows only an old
// version. The verdict on the hand-over would depend on chance. So the replica is told to
// end just after a renewal. If a Fault has hit the last renewal, there is no waiting. began is
// when the wait began.
func (c *Controller) awaitsRenewal(d *v1alpha1.Disruption, replicas []string, began, now time.Time) bool {
	told := slices.Contains([]v1alpha1.DisruptionAction{v1alpha1.ActionTerminate, v1alpha1.ActionInterrupt, v1alpha1.ActionEvict}, d.Spec.Action)
	if !told || now.Sub(began) > patience {
		return false
	}
	return slices.ContainsFunc(replicas, func(replica string) bool {
		renewals := c.Recorder.Requests(history.Query{
			Scenario: d.Namespace, Replicas: []string{replica}, Since: now.Add(-patience),
			Match: v1alpha1.RequestMatch{
				Verbs: []string{history.VerbCreate, history.VerbUpdate}, Resources: []string{"leases.coordination.k8s.io"},
			},
		})
		if len(renewals) == 0 {
			return false
		}
		last := renewals[len(renewals)-1]
		if last.Fault != "" {
			return false
		}
		ago := now.Sub(last.End())
		return !last.Finished || fresh < ago && ago < idle
	})
}

// interrupts says whether the Disruption finds an open request that it must interrupt. It
// returns true if it need not interrupt one.
func (c *Controller) interrupts(d *v1alpha1.Disruption, replicas []string) bool {
	if d.Spec.While == nil {
		return true
	}
	requests := c.Recorder.Requests(history.Query{Scenario: d.Namespace, Replicas: replicas, Match: *d.Spec.While})
	return slices.ContainsFunc(requests, func(r history.Request) bool { return !r.Finished })
}
