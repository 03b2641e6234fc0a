package subject

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestReplicasWithoutIdentities: a Subject that asks for two replicas is refused if the
// two would have the same identity.
func TestReplicasWithoutIdentities(t *testing.T) {
	asked := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}, Spec: v1alpha1.SubjectSpec{Replicas: 2}}
	s := &Controller{Environment: Environment{Launcher: sandbox.NewPlainLauncher("the test says so")}}
	want := "spec.replicas: 2 is too many: this machine cannot give two replicas identities of their own: no namespaces (the test says so)"
	if _, err := s.Advance(t.Context(), asked); err == nil || err.Error() != want {
		t.Errorf("Advance: %v, want %s", err, want)
	}
	if asked.Status.Message != want || len(asked.Status.Replicas) != 0 {
		t.Errorf("status: %+v, want the message %s", asked.Status, want)
	}
}

// TestLeaseIsForgotten: the Lease that a stopped controller held is deleted, so that
// its next process need not wait. A Lease that somebody else holds stays.
func TestLeaseIsForgotten(t *testing.T) {
	for name, tc := range map[string]struct {
		holder, wrote string
		undeclared    bool
		stays         bool
	}{
		"its own":                  {holder: "me", wrote: "me"},
		"released":                 {holder: "", wrote: "", stays: true},
		"of somebody else":         {holder: "production", wrote: "me", stays: true},
		"never written":            {holder: "production", stays: true},
		"not declared":             {holder: "me", wrote: "me", undeclared: true, stays: true},
		"gone before it was asked": {wrote: "me"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &profile.Profile{}
			if !tc.undeclared {
				p.Spec.Launch.LeaderElection = &v1alpha1.LaunchLeaderElection{Lease: v1alpha1.LeaseName{Namespace: "home", Name: "leader"}}
			}
			cluster, recorder := fake.NewClientset(), history.New(nil, nil)
			if tc.holder != "" || tc.stays {
				lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "home", Name: "leader"}}
				lease.Spec.HolderIdentity = &tc.holder
				if _, err := cluster.CoordinationV1().Leases("home").Create(t.Context(), lease, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if tc.wrote != "" {
				recorder.Begin(history.Request{
					Scenario: "ns", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases", Namespace: "home", Name: "leader",
				}).Finish(func(r *history.Request) { r.Code, r.Holder, r.ResourceVersion = 200, tc.wrote, "9" })
			}
			s := &Controller{Environment: Environment{Clientset: cluster, Recorder: recorder, Profile: func(string) *profile.Profile { return p }}}
			if err := s.forgetLease(t.Context(), "ns"); err != nil {
				t.Fatal(err)
			}
			left, err := cluster.CoordinationV1().Leases("home").List(t.Context(), metav1.ListOptions{})
			if err != nil || (len(left.Items) == 1) != tc.stays {
				t.Errorf("left: %v, %v; stays: want %t", left, err, tc.stays)
			}
		})
	}
}

// TestStatusIsReported: a change that came after the status was made is not counted as
// reported.
func TestStatusIsReported(t *testing.T) {
	asked := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject", UID: "one"}}
	present := &instance{subject: asked}
	s := &Controller{instances: map[types.NamespacedName]*instance{{Namespace: "ns", Name: "subject"}: present}}
	present.changes.Store(3)
	present.told.Store(2)
	other := asked.DeepCopy()
	other.UID = "two"
	s.Reported(other)
	if got := present.reported.Load(); got != 0 {
		t.Errorf("reported by another Subject of that name: %d", got)
	}
	s.Reported(asked)
	if got := present.reported.Load(); got != 2 {
		t.Errorf("reported: %d, want 2", got)
	}
}
