package pods

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func labelsOf(pod *corev1.Pod) labels.Set { return pod.Labels }

func TestSetGate(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	earlier := metav1.NewTime(now.Add(-time.Minute))
	gate := func(status corev1.ConditionStatus, since metav1.Time) corev1.PodCondition {
		if status == corev1.ConditionTrue {
			return corev1.PodCondition{Type: conditionReady, Status: status, Reason: "Granted", LastTransitionTime: since}
		}
		return corev1.PodCondition{
			Type: conditionReady, Status: status, Reason: "Withheld", Message: "the scenario withholds readiness", LastTransitionTime: since,
		}
	}
	kubelets := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse}
	for name, tc := range map[string]struct {
		annotation   string
		before, want []corev1.PodCondition
		changed      bool
	}{
		"a new one opens":          {"", []corev1.PodCondition{kubelets}, []corev1.PodCondition{kubelets, gate("True", now)}, true},
		"a new one is closed":      {"false", nil, []corev1.PodCondition{gate("False", now)}, true},
		"it stays open":            {"", []corev1.PodCondition{gate("True", earlier)}, []corev1.PodCondition{gate("True", earlier)}, false},
		"it stays closed":          {"false", []corev1.PodCondition{gate("False", earlier)}, []corev1.PodCondition{gate("False", earlier)}, false},
		"readiness is granted":     {"true", []corev1.PodCondition{gate("False", earlier), kubelets}, []corev1.PodCondition{gate("True", now), kubelets}, true},
		"readiness is withdrawn":   {"false", []corev1.PodCondition{gate("True", earlier)}, []corev1.PodCondition{gate("False", now)}, true},
		"nothing is said any more": {"", []corev1.PodCondition{gate("False", earlier)}, []corev1.PodCondition{gate("True", now)}, true},
		"something else is said":   {"maybe", nil, []corev1.PodCondition{gate("True", now)}, true},
		"somebody else's stay":     {"", []corev1.PodCondition{{Type: "example.com/gate"}}, []corev1.PodCondition{{Type: "example.com/gate"}, gate("True", now)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Status: corev1.PodStatus{Conditions: tc.before}}
			if tc.annotation != "" {
				pod.Annotations = map[string]string{annotationReady: tc.annotation}
			}
			if changed := setGate(pod, now); changed != tc.changed {
				t.Errorf("changed: %t", changed)
			}
			if diff := cmp.Diff(tc.want, pod.Status.Conditions); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
