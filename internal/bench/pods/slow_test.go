package pods

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestServed(t *testing.T) {
	waiting := func(reason string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
	}
	running := []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	ready := []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	for name, tc := range map[string]struct {
		status   corev1.PodStatus
		withheld bool
		want     bool
	}{
		"no node":                         {corev1.PodStatus{Phase: corev1.PodPending}, false, false},
		"its container is made":           {corev1.PodStatus{ContainerStatuses: waiting("ContainerCreating")}, true, false},
		"its first containers run":        {corev1.PodStatus{ContainerStatuses: waiting("PodInitializing")}, true, false},
		"it runs":                         {corev1.PodStatus{ContainerStatuses: running}, false, false},
		"it runs, and no more is wanted":  {corev1.PodStatus{ContainerStatuses: running}, true, true},
		"it is ready":                     {corev1.PodStatus{Conditions: ready}, false, true},
		"a ConfigMap of it is missing":    {corev1.PodStatus{ContainerStatuses: waiting("CreateContainerConfigError")}, false, true},
		"it has succeeded":                {corev1.PodStatus{Phase: corev1.PodSucceeded}, false, true},
		"one of its containers is unseen": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "other"}}}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Status: tc.status, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}}}
			if tc.withheld {
				pod.Annotations = map[string]string{annotationReady: "false"}
			}
			if got := served(pod); got != tc.want {
				t.Errorf("served = %t", got)
			}
		})
	}
}

func TestClock(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	pod := func() *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "1"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}}}
	}
	isReady := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: "True"}}
	}
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		after  int
		last   bool
		tell   bool
	}{
		"ready in time":         {isReady, 4, false, false},
		"ready late":            {isReady, 6, false, true},
		"not yet":               {func(*corev1.Pod) {}, 60, false, false},
		"not by the end":        {func(*corev1.Pod) {}, 60, true, true},
		"the end was soon":      {func(*corev1.Pod) {}, 1, true, false},
		"it goes, unready":      {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, 60, false, true},
		"it is to have no node": {func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: idleGate}} }, 60, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := &clock{}
			if _, tell := c.look(pod(), at(0)); tell {
				t.Error("told of a new Pod")
			}
			changed := pod()
			tc.change(changed)
			look := c.look
			if tc.last {
				look = c.stop
			}
			took, tell := look(changed, at(tc.after))
			if tell != tc.tell || tell && took != time.Duration(tc.after)*time.Second {
				t.Errorf("told: %t, %s", tell, took)
			}
			if _, again := c.stop(changed, at(100)); tell && again {
				t.Error("told twice")
			}
		})
	}
}

// TestSlowPodsAreTold: slow Pods are reported at the end of their scenario, with its
// name.
func TestSlowPodsAreTold(t *testing.T) {
	var told string
	k := &Keeper{
		Client: fake.NewClientBuilder().WithObjects(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "sh-001-b", Name: "demo", UID: "1"}, Status: corev1.PodStatus{Phase: corev1.PodPending},
		}).Build(),
		Slow: func(scenario, pod string, took time.Duration, state string) {
			told = scenario + " " + pod + " " + took.Round(time.Second).String() + " " + state
		},
	}
	k.Run("sh-001")
	k.clock.look(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "1"}}, time.Now().Add(-20*time.Second))
	if err := k.Rest(t.Context(), "sh-001"); err != nil {
		t.Fatal(err)
	}
	if want := "sh-001 demo 20s it is Pending"; told != want {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestState(t *testing.T) {
	pod := &corev1.Pod{Status: corev1.PodStatus{
		Phase: corev1.PodPending,
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: "False", Message: "unready: [app]"},
			{Type: corev1.ContainersReady, Status: "False", Message: "unready: [app]"},
			{Type: corev1.PodScheduled, Status: "True", Message: "it has a node"},
		},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}},
	}}
	if got, want := state(pod), "it is Pending; unready: [app]; container app: ContainerCreating"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
