package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

func TestAlive(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		holder string
		age    time.Duration
		want   bool
	}{
		"it runs here":            {fmt.Sprintf("%s_%d_1", host, os.Getpid()), 0, true},
		"it has ended here":       {fmt.Sprintf("%s_%d_1", host, ended.Process.Pid), 0, false},
		"elsewhere":               {"another-host_1_1", 0, true},
		"elsewhere, a minute ago": {"another-host_1_1", leaseDuration + time.Second, false},
		"of another program":      {"somebody", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			renewed := metav1.NewMicroTime(time.Now().Add(-tc.age))
			if got := alive(coordinationv1.LeaseSpec{HolderIdentity: &tc.holder, RenewTime: &renewed}); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
	if alive(coordinationv1.LeaseSpec{HolderIdentity: ptr.To("another-host_1_1")}) {
		t.Error("alive, and was never renewed")
	}
}

func TestTake(t *testing.T) {
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
