package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// somebodyElse is who takes the Lease of a leader.
	somebodyElse = "somebody-else"
	// takenFor is how long, in seconds. A leader tries to renew for longer than that.
	takenFor = 1
)

// HarmNeverLeads is the path of a Divergence: a replica that has lost the Lease lives on, and
// does not take it although it is free and nobody else may have it.
const HarmNeverLeads = "former leader that never leads again"

// HarmNoSuccessor is the path of a Divergence: a leader cannot renew its Lease, and no other replica
// takes it.
const HarmNoSuccessor = "leader without a successor"

// disturbLease takes the Lease from the leader while its request is open.
func (r *run) disturbLease(ctx context.Context) (err error) {
	leader, err := r.leader(ctx, "")
	if err != nil {
		return err
	}
	lost := r.disturbance.Lease == v1alpha1.LeaseLost
	barred := leader
	if !lost {
		if barred = r.besides(leader); barred == "" {
			return errors.New("lease: the Subject needs two replicas")
		}
	}
	refusal := r.refusal(barred)
	if err := r.Client.Create(ctx, refusal.DeepCopy()); err != nil {
		return fmt.Errorf("refusing the renewals of %s: %w", barred, err)
	}
	defer func() {
		ended := r.Client.Delete(context.WithoutCancel(ctx), refusal)
		if err == nil && !apierrors.IsNotFound(ended) {
			err = ended
		}
	}()
	if lost {
		if _, err = r.leader(ctx, leader); isLate(err) {
			r.leaderless(leader, HarmNoSuccessor, "another replica takes the Lease", "none did")
			return nil
		}
		return err
	}
	if err = r.regain(ctx, leader); isLate(err) {
		r.leaderless(leader, HarmNeverLeads, "it takes the Lease again, or ends, so that it is started anew and does", "it did not")
		return nil
	}
	return err
}

// leaderless notes that a Lease was free, and that nobody took it who should have: a leader again that
// has lost it, or another replica. Nobody leads until one that was kept from it may.
func (r *run) leaderless(leader, path, expected, found string) {
	r.divergences = append(r.divergences, v1alpha1.Divergence{
		Kind: v1alpha1.DivergenceHarm, Object: leader, Path: path, Expected: expected,
		Found: "the Lease was free, and " + found + " in " + (r.within + r.leaseLasts()).String(),
	})
}

// besides returns a replica that is not this one, or "".
func (r *run) besides(leader string) string {
	if running := r.running(); running != nil {
		for _, replica := range running.Replicas {
			if replica != leader {
				return replica
			}
		}
	}
	return ""
}

// refusal is a Fault that keeps a replica from taking or renewing the Lease.
func (r *run) refusal(replica string) *v1alpha1.Fault {
	fault := &v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: r.name + "-no-lease"}}
	fault.Spec = v1alpha1.FaultSpec{
		Target: replica, Optional: true,
		Match:  v1alpha1.FaultMatch{RequestMatch: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate, history.VerbUpdate}, Resources: []string{"leases.coordination.k8s.io"}}},
		Action: v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: 500}},
	}
	return fault
}

// regain takes the Lease for a moment, as somebody else, and waits until the leader has
// it again.
func (r *run) regain(ctx context.Context, leader string) error {
	at, _ := r.Profile(r.namespace).Lease(r.namespace)
	name := types.NamespacedName{Namespace: at.Namespace, Name: at.Name}
	now := metav1.NowMicro()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{
		"holderIdentity": somebodyElse, "leaseDurationSeconds": takenFor, "acquireTime": now, "renewTime": now,
	}})
	if err != nil {
		return fmt.Errorf("encoding a Lease: %w", err)
	}
	leases := r.Dynamic.Resource(schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"})
	if _, err := leases.Namespace(name.Namespace).Patch(ctx, name.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager}); err != nil {
		return fmt.Errorf("taking the Lease: %w", err)
	}
	taken, seq := time.Now(), r.Recorder.LastSeq()
	return r.await(ctx, r.within+r.leaseLasts(), leader+" leads again", func(context.Context) (bool, error) {
		write, written := r.Recorder.LeaseWrite(r.namespace, name)
		return written && write.Seq > seq && write.Replica == leader && write.Holder != "" && write.Time.After(taken), nil
	})
}
