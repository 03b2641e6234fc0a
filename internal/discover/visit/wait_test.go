package visit

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestHasRolledOut: Pods that a workload does not replace by itself are not waited for.
func TestHasRolledOut(t *testing.T) {
	const (
		set  = "kind: StatefulSet\nmetadata: {generation: 2}\n"
		old  = "status: {observedGeneration: 2, replicas: 3, readyReplicas: 3}\n"
		half = "status: {observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 2}\n"
		full = "status: {observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 3}\n"
	)
	for name, tc := range map[string]struct {
		object string
		want   bool
	}{
		"all Pods are new":             {set + "spec: {replicas: 3}\n" + full, true},
		"not all are":                  {set + "spec: {replicas: 3}\n" + half, false},
		"of another number":            {set + "spec: {replicas: 2}\n" + full, false},
		"not seen yet":                 {"kind: StatefulSet\nmetadata: {generation: 3}\nspec: {replicas: 3}\n" + full, false},
		"somebody else deletes them":   {set + "spec: {replicas: 3, updateStrategy: {type: OnDelete}}\n" + old, true},
		"that, and one is not ready":   {set + "spec: {replicas: 3, updateStrategy: {type: OnDelete}}\nstatus: {observedGeneration: 2, replicas: 3, readyReplicas: 2}\n", false},
		"one is below the partition":   {set + "spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 1}}}\n" + half, true},
		"one more is":                  {set + "spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 1}}}\n" + old, false},
		"all are below the partition":  {set + "spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 9}}}\n" + old, true},
		"a Deployment that is paused":  {"kind: Deployment\nmetadata: {generation: 2}\nspec: {replicas: 3, paused: true}\n" + old, true},
		"a Deployment that is not":     {"kind: Deployment\nmetadata: {generation: 2}\nspec: {replicas: 3}\n" + old, false},
		"a DaemonSet that is left":     {"kind: DaemonSet\nmetadata: {generation: 2}\nspec: {updateStrategy: {type: OnDelete}}\nstatus: {observedGeneration: 2, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1}\n", true},
		"a DaemonSet that rolls":       {"kind: DaemonSet\nmetadata: {generation: 2}\nstatus: {observedGeneration: 2, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1}\n", false},
		"a DaemonSet that has rolled":  {"kind: DaemonSet\nmetadata: {generation: 2}\nstatus: {observedGeneration: 2, desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1, updatedNumberScheduled: 1}\n", true},
		"a set of which none is asked": {set + "spec: {replicas: 0}\nstatus: {observedGeneration: 2}\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := yaml.YAMLToJSON([]byte("apiVersion: apps/v1\n" + tc.object))
			if err != nil {
				t.Fatal(err)
			}
			object := &unstructured.Unstructured{}
			if err := object.UnmarshalJSON(data); err != nil {
				t.Fatal(err)
			}
			if got := hasRolledOut(object); got != tc.want {
				t.Errorf("rolled out: %v, want %v", got, tc.want)
			}
		})
	}
}

// TestRefuses: a webhook may deny an object with any code, and a visit goes on then. If the
// webhook cannot be called, or the API server fails, nothing was refused.
func TestRefuses(t *testing.T) {
	status := func(code int32, reason metav1.StatusReason, message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
	}
	const says = `admission webhook "shops.example.com" denied the request: size must grow`
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"the schema":                {status(422, metav1.StatusReasonInvalid, "spec.size: Invalid value"), true},
		"a webhook, as usual":       {status(403, metav1.StatusReasonForbidden, says), true},
		"a webhook, by 500":         {status(500, "", says), true},
		"a webhook, by 409":         {status(409, metav1.StatusReasonConflict, says), true},
		"a webhook, by 409, exists": {status(409, metav1.StatusReasonAlreadyExists, says), true},
		"wrapped":                   {fmt.Errorf("creating: %w", status(500, "", says)), true},
		"no webhook":                {status(500, metav1.StatusReasonInternalError, `failed calling webhook "shops.example.com": connection refused`), false},
		"a conflict":                {status(409, metav1.StatusReasonConflict, "the object has been modified"), false},
		"another error":             {errors.New(says), false},
		"it is gone":                {status(404, metav1.StatusReasonNotFound, `shops "first-look" not found`), true},
		"none":                      {nil, false},
	} {
		if got := refuses(tc.err); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
