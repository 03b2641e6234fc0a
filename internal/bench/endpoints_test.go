package bench_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func observationIn(namespace, name string, spec v1alpha1.ObservationSpec) *v1alpha1.Observation {
	return &v1alpha1.Observation{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: spec}
}

func TestLogOfAReplicaIsObserved(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	o := create(t, observationIn(ns, "log", v1alpha1.ObservationSpec{
		Log: &v1alpha1.ObservedLog{Replica: "subject-0", Object: "last", Error: "told to"},
	}))
	await(t, o, "watching", func(o *v1alpha1.Observation) bool { return o.Status.Phase == v1alpha1.ObservationWatching })
	create(t, webApp(ns, "last", "exit"))
	await(t, o, "told", func(o *v1alpha1.Observation) bool { return o.Status.Log.Incomplete > 0 })
	if example := o.Status.Log.Examples[0]; example.Line != "told to" || example.Format != "Text" || len(example.Missing) != 3 {
		t.Errorf("example: %+v", example)
	}
}

func TestObservationOfAnUnknownReplica(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	for name, tc := range map[string]struct {
		spec v1alpha1.ObservationSpec
		want string
	}{
		"endpoint": {
			v1alpha1.ObservationSpec{Endpoint: &v1alpha1.ObservedEndpoint{Replica: "subject-0", Name: v1alpha1.EndpointMetrics}},
			"the profile does not say where the endpoint metrics is",
		},
		"replica": {
			v1alpha1.ObservationSpec{Log: &v1alpha1.ObservedLog{Replica: "subject-7", Object: "demo", Error: "x"}},
			"has no replica subject-7; it has: subject-0",
		},
	} {
		refused(t, observationIn(ns, name, tc.spec), tc.want)
	}
}

func TestObservationOfNothingOrTwoThingsIsRefused(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	log := &v1alpha1.ObservedLog{Replica: "subject-0", Object: "demo", Error: "x"}
	for name, tc := range map[string]struct {
		spec v1alpha1.ObservationSpec
		want string
	}{
		"nothing":       {v1alpha1.ObservationSpec{}, "give exactly one of resource, endpoint and log"},
		"two":           {v1alpha1.ObservationSpec{Resource: "pods", Never: "false", Log: log}, "give exactly one of resource, endpoint and log"},
		"no-rule":       {v1alpha1.ObservationSpec{Resource: "pods"}, "give never, eventually or both"},
		"no-end":        {v1alpha1.ObservationSpec{Resource: "pods", Never: "false", Within: &v1alpha1.TimeBound{Resyncs: 1}}, "within is for eventually"},
		"name":          {v1alpha1.ObservationSpec{Log: log, Name: "demo"}, "name is the name of an object"},
		"endpoint-name": {v1alpha1.ObservationSpec{Endpoint: &v1alpha1.ObservedEndpoint{Replica: "subject-0", Name: "debug"}}, "Unsupported value"},
	} {
		err := stage.client.Create(t.Context(), observationIn(ns, name, tc.spec))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
