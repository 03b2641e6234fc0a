package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

func TestEndedHere(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	gone := ended.Process.Pid
	for name, tc := range map[string]struct {
		holder string
		want   bool
	}{
		"it runs here":          {fmt.Sprintf("%s_%d_%s_1", host, os.Getpid(), processes()), false},
		"it has ended here":     {fmt.Sprintf("%s_%d_%s_1", host, gone, processes()), true},
		"elsewhere":             {fmt.Sprintf("another-host_%d_%s_1", gone, processes()), false},
		"on a host named alike": {fmt.Sprintf("%s_%d_0badc0de_1", host, gone), false},
		"of another program":    {"somebody", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := endedHere(coordinationv1.LeaseSpec{HolderIdentity: &tc.holder}); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
	if processes() == "" && runtime.GOOS == "linux" {
		t.Error("this machine has no name for its processes")
	}
}

// TestTakeFromAnother: the clock of the machine where another bench works may be
// behind.
func TestTakeFromAnother(t *testing.T) {
	for name, tc := range map[string]struct {
		age    time.Duration // of the last renewal, by the clock here; negative: it was never renewed
		renews bool
		taken  bool
	}{
		"just renewed":              {0, false, false},
		"renewed a while ago":       {leaseDuration, false, false},
		"given up":                  {leaseDuration + time.Second, false, true},
		"its clock is far behind":   {time.Hour, true, false},
		"gone, its clock is behind": {time.Hour, false, true},
		"never renewed":             {-1, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spec := coordinationv1.LeaseSpec{HolderIdentity: ptr.To("another-host_1__1")}
				if tc.age >= 0 {
					spec.RenewTime = ptr.To(metav1.NewMicroTime(time.Now().Add(-tc.age)))
				}
				client := fake.NewClientset(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: leaseNamespace, Name: leaseName}, Spec: spec})
				if tc.renews {
					other := &Lease{client: client, holder: *spec.HolderIdentity}
					time.AfterFunc(renewInterval, func() {
						if err := other.renew(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
				lease, err := Take(t.Context(), client)
				if taken := err == nil; taken != tc.taken || !taken && !errors.As(err, new(*InUse)) {
					t.Fatalf("taken: %v, want %v (%v)", taken, tc.taken, err)
				}
				if !tc.taken {
					return
				}
				if !lease.Inherited {
					t.Error("it is said to be new")
				}
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestTake: a Lease that is renewed is not taken. One that has run out is inherited, and its
// former holder can no longer renew it.
func TestTake(t *testing.T) {
	synctest.Test(t, testTake)
}

func testTake(t *testing.T) {
	client := fake.NewClientset()
	first, err := Take(t.Context(), client)
	if err != nil || first.Inherited {
		t.Fatalf("the first: %+v, %v", first, err)
	}
	var inUse *InUse
	if _, err := Take(t.Context(), client); !errors.As(err, &inUse) || inUse.Holder != first.holder {
		t.Fatalf("beside the first: %v", err)
	}
	leases := client.CoordinationV1().Leases(leaseNamespace)
	lease, err := leases.Get(t.Context(), leaseName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	old := metav1.NewMicroTime(time.Now().Add(-2 * leaseDuration))
	lease.Spec.RenewTime = &old
	first.stop()
	<-first.done
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	second, err := Take(t.Context(), client)
	if err != nil || !second.Inherited {
		t.Fatalf("after the first: %+v, %v", second, err)
	}
	if err := first.renew(t.Context()); !errors.As(err, &inUse) {
		t.Errorf("the first renews what it has no more: %v", err)
	}
	if err := second.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := leases.List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) > 0 {
		t.Errorf("after the release: %v, %v", list, err)
	}
}
