package play

import (
	"cmp"
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// rivalReplica is who takes the Lease.
	rivalReplica = "somebody-else"
	// rivalRenews is how often it renews the Lease, and rivalLease how long that is held
	// after each time.
	rivalRenews = 500 * time.Millisecond
	rivalLease  = 5 * time.Second
	// watching is how long a replica without the Lease is looked at.
	watching = 2 * time.Second
)

// lost checks what a replica does while somebody else holds the Lease.
func lost() play {
	return play{elects: true, rules: []rule{
		{"lost/ends", "has lost the Lease to another replica: it ends, or works again once the Lease is free", endsOrLeads},
		{"lost/waits", "reconciles no WebApp while another replica holds the Lease", waits},
	}}
}

// midway checks what becomes of a reconcile when the Lease is lost in the middle of it.
func midway() play {
	return play{elects: true, rules: []rule{
		{"midway/breaks-off", "has lost the Lease to another replica in the middle of a reconcile: it sends no further write", breaksOff},
	}}
}

// rival is another replica, which holds the Lease of the controller.
type rival struct {
	*stage
	of      v1alpha1.LeaseName
	renewed time.Time
}

// endsOrLeads takes the Lease from the controller, and gives it back after a while if the
// controller has not ended by then.
func endsOrLeads(ctx context.Context, s *stage) error {
	of, times, err := s.election()
	if err != nil {
		return err
	}
	if err := s.leads(ctx, of); err != nil {
		return err
	}
	other, taken := rival{stage: s, of: of}, time.Now()
	if ended, err := other.takesOver(ctx, times); err != nil || ended {
		return err
	}
	const name = "demo"
	if err := s.create(ctx, name); err != nil {
		return err
	}
	done := fmt.Sprintf("another replica has taken the Lease %s, and held it for %s", of.Name, rounded(time.Since(taken)))
	wrote, err := other.hold(ctx, watching, func() (bool, error) { return s.there(ctx, name) })
	if err != nil {
		return err
	}
	if wrote {
		if err := other.holds(ctx); err != nil || s.answeredSlowly(taken, time.Now()) {
			return cmp.Or(err, errTooSlow)
		}
		return &unmet{found: fmt.Sprintf("%s; it still works, and has made Deployment %s; %s", done, name, s.lastWords(6))}
	}
	if err := other.giveBack(ctx); err != nil {
		return err
	}
	long := s.patience + times.Duration.Duration + rivalLease
	err = s.await(ctx, long, func() (bool, error) {
		if ended, err := s.ended(ctx); ended || err != nil {
			return ended, err
		}
		return s.there(ctx, name)
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%s; then the Lease was free, and %s later it still runs, and has not made Deployment %s of a new WebApp: it lives, and works no more; %s",
			done, long, name, s.lastWords(6))}
	}
	return err
}

// breaksOff takes the Lease while a create of a Deployment gets no answer, and lets that be
// answered when the controller must have noticed. Whoever goes on then creates the Service. That
// the one create comes late is nothing that a controller can prevent.
func breaksOff(ctx context.Context, s *stage) error {
	of, times, err := s.election()
	if err != nil {
		return err
	}
	if err := s.leads(ctx, of); err != nil {
		return err
	}
	const name = "unfinished"
	if err := s.onCreate(ctx, "deployments.apps", name, map[string]any{"hold": map[string]any{}}); err != nil {
		return err
	}
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.met(ctx, "faults", name, s.patience); wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("it holds the Lease, and has not tried to make Deployment %s within %s; %s", name, s.patience, s.lastWords(6)), early: true}
	} else if err != nil {
		return err
	}
	other, taken := rival{stage: s, of: of}, time.Now()
	if ended, err := other.takesOver(ctx, times); err != nil || ended {
		return err
	}
	answered := time.Now()
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	further := history.Query{Scenario: s.namespace, Since: answered, Match: v1alpha1.RequestMatch{
		Verbs: []string{history.VerbCreate, history.VerbUpdate, history.VerbDelete},
	}}
	wrote, err := other.hold(ctx, watching, func() (bool, error) { return len(s.recorder.Requests(further)) > 0, nil })
	if err != nil || !wrote {
		return err
	}
	if err := other.holds(ctx); err != nil || s.answeredSlowly(taken, answered) {
		return cmp.Or(err, errTooSlow)
	}
	return &unmet{found: fmt.Sprintf("another replica took the Lease %s in the middle of a reconcile, and held it for %s; then it was gone on with: %s; %s",
		of.Name, rounded(answered.Sub(taken)), s.recorder.Requests(further)[0].InWords(), s.lastWords(6))}
}

// election returns the Lease of the profile, and its times.
func (s *stage) election() (of v1alpha1.LeaseName, times *v1alpha1.LeaseTimes, err error) {
	of, elects := s.profile.Lease(s.namespace)
	if times = s.profile.Spec.Claims.Times.Lease; !elects || times == nil {
		return of, nil, &unmet{found: "profile.yaml does not say how leader election is switched on, and its times: spec.launch.leaderElection, spec.claims.times.lease"}
	}
	return of, times, nil
}

// takesOver takes the Lease, and holds it until the controller must have noticed, or has ended. One
// that ends is not waited for longer, so it is long enough for a busy machine.
func (r *rival) takesOver(ctx context.Context, times *v1alpha1.LeaseTimes) (ended bool, err error) {
	if err := r.take(ctx); err != nil {
		return false, err
	}
	noticing := 3*times.RenewDeadline.Duration + 3*times.RetryPeriod.Duration
	return r.hold(ctx, noticing, func() (bool, error) { return r.ended(ctx) })
}

// waits starts the controller while somebody else holds the Lease.
func waits(ctx context.Context, s *stage) error {
	of, _ := s.profile.Lease(s.namespace)
	other := rival{stage: s, of: of}
	if err := other.take(ctx); err != nil {
		return err
	}
	since := time.Now()
	renew := func() { _ = other.renew(ctx) } // if that fails, hold finds out
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart, renew); err != nil {
		return err
	}
	asking := history.Query{Scenario: s.namespace, Since: since, Match: v1alpha1.RequestMatch{Resources: []string{"leases.coordination.k8s.io"}}}
	asked, err := other.hold(ctx, s.starting, func() (bool, error) { return len(s.recorder.Requests(asking)) > 0, nil })
	if err != nil {
		return err
	}
	if !asked {
		return &unmet{found: fmt.Sprintf("it was started while another replica held the Lease %s, and has not looked at it within %s; %s", of.Name, s.starting, s.lastWords(6)), early: true}
	}
	const name = "kept"
	if err := s.create(ctx, name); err != nil {
		return err
	}
	works, err := other.hold(ctx, watching, func() (bool, error) {
		if count(s.lines(), s.about("Started", name)) > 0 {
			return true, nil
		}
		return s.there(ctx, name)
	})
	if err != nil {
		return err
	}
	if works {
		if err := other.holds(ctx); err != nil {
			return err
		}
		return &unmet{found: fmt.Sprintf("another replica holds the Lease %s, a WebApp was created, and this one reconciles it; %s", of.Name, s.lastWords(6))}
	}
	return nil
}

// holder returns who holds the Lease, or nothing.
func (s *stage) holder(ctx context.Context, of v1alpha1.LeaseName) (string, error) {
	lease, err := s.kube.CoordinationV1().Leases(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking at the Lease: %w", err)
	}
	return ptr.Deref(lease.Spec.HolderIdentity, ""), nil
}

// hold keeps the Lease for so long, or until look returns true, and returns whether it did.
func (r *rival) hold(ctx context.Context, long time.Duration, look func() (bool, error)) (seen bool, err error) {
	err = r.await(ctx, long, func() (bool, error) {
		if err := r.renew(ctx); err != nil {
			return false, err
		}
		var err error
		seen, err = look()
		return seen, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		err = nil
	}
	return seen, err
}

// holds expects that the rival still holds the Lease. If the controller has it nevertheless, it
// has taken what was not free, or the machine was too slow to renew it in time.
func (r *rival) holds(ctx context.Context) error {
	by, err := r.holder(ctx, r.of)
	if err != nil || by == rivalReplica {
		return err
	}
	ago, times := time.Since(r.renewed), r.profile.Spec.Claims.Times.Lease
	if by != "" && times != nil && ago < min(times.Duration.Duration, rivalLease/2) {
		return &unmet{found: fmt.Sprintf("another replica held the Lease %s, and had renewed it %s before: it was taken by %s all the same; %s", r.of.Name, rounded(ago), by, r.lastWords(6))}
	}
	return errTooSlow
}

// renew renews the Lease if it is time to.
func (r *rival) renew(ctx context.Context) error {
	if time.Since(r.renewed) <= rivalRenews {
		return nil
	}
	if err := r.holds(ctx); err != nil {
		return err
	}
	return r.take(ctx)
}

// take makes the rival the holder of the Lease, from now on.
func (r *rival) take(ctx context.Context) error {
	r.renewed = time.Now()
	return r.changeLease(ctx, r.of, func(spec *coordinationv1.LeaseSpec) {
		now := metav1.NowMicro()
		if ptr.Deref(spec.HolderIdentity, "") != rivalReplica {
			spec.AcquireTime, spec.LeaseTransitions = &now, ptr.To(ptr.Deref(spec.LeaseTransitions, 0)+1)
		}
		spec.HolderIdentity, spec.RenewTime, spec.LeaseDurationSeconds = ptr.To(rivalReplica), &now, ptr.To(int32(rivalLease.Seconds()))
	})
}

// giveBack leaves the Lease without a holder.
func (r *rival) giveBack(ctx context.Context) error {
	return r.changeLease(ctx, r.of, func(spec *coordinationv1.LeaseSpec) {
		spec.HolderIdentity, spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
	})
}

// changeLease changes the Lease, which the controller may change at the same time.
func (s *stage) changeLease(ctx context.Context, of v1alpha1.LeaseName, change func(*coordinationv1.LeaseSpec)) error {
	leases := s.kube.CoordinationV1().Leases(of.Namespace)
	err := s.await(ctx, s.patience, func() (bool, error) {
		lease, err := leases.Get(ctx, of.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		change(&lease.Spec)
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("changing the Lease: %w", err)
	}
	return nil
}

// ended tells whether the process of the controller has ended.
func (s *stage) ended(ctx context.Context) (bool, error) {
	var subject v1alpha1.Subject
	if err := s.get(ctx, "subjects", "subject", &subject); err != nil {
		return false, err
	}
	for _, r := range subject.Status.Replicas {
		if r.Phase == v1alpha1.ReplicaExited {
			return true, nil
		}
	}
	return false, nil
}
