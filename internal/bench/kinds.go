package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/bench/disruption"
	"reconform.dev/reconform/internal/bench/drift"
	"reconform.dev/reconform/internal/bench/fault"
	"reconform.dev/reconform/internal/bench/load"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/observation"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/bench/traffic"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// serve registers the controllers, one for each kind.
func (b *Bench) serve(mgr ctrl.Manager, admission *objects.Admission) error {
	watches, err := dynamic.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the client that observes: %w", err)
	}
	loads, err := load.NewClient(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the client for loads: %w", err)
	}
	cluster, err := kubernetes.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the client that drains Nodes: %w", err)
	}
	mapper, reader := mgr.GetRESTMapper(), mgr.GetAPIReader()
	measurements := &traffic.Controller{Recorder: b.options.Recorder, Subjects: b.subjects, JobRuns: jobRuns(reader)}
	times := b.times(measurements)
	observations := &observation.Controller{Dynamic: watches, Mapper: mapper, Recorder: b.options.Recorder, Replicas: b.subjects, Times: times}
	snapshots := &snapshot.Controller{
		Reader: reader, Dynamic: watches, Mapper: mapper, Profile: b.options.profile, Shown: b.options.Recorder.Identities, Times: times,
		Written: b.options.Recorder.WrittenObjects, Owed: b.owed,
	}
	b.waiters = map[string]waiter{"Observation": observations, "Snapshot": snapshots}
	measurements.Times, measurements.Statuses = times, observations.Statuses
	measurements.Workload = func(namespace string) string { return b.options.profile(namespace).WorkloadResource().String() }
	drifts := &drift.Controller{
		Client: mgr.GetClient(), Dynamic: loads, Mapper: mapper, Recorder: b.options.Recorder, Profile: b.options.profile, Times: times,
		Processes: b.subjects,
	}
	for _, kind := range []interface {
		SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error
	}{
		b.subjects,
		measurements,
		&fault.Controller{Reader: reader, Mapper: mapper, Subjects: b.subjects, Engine: b.faults, Times: times},
		&disruption.Controller{Reader: reader, Recorder: b.options.Recorder, Processes: b.subjects, Times: times, Nodes: disruption.Nodes{Cluster: cluster, Theirs: b.options.Shared}},
		observations,
		snapshots,
		&load.Controller{Dynamic: loads, Mapper: mapper, Profile: b.options.profile},
		drifts,
		&trial.Controller{
			Client: mgr.GetClient(), Reader: reader, Dynamic: loads, Mapper: mapper, Recorder: b.options.Recorder, Subjects: b.subjects,
			Outcomes: snapshots, Drifts: drifts, Profile: b.options.profile, Times: times,
		},
	} {
		if err := kind.SetupWithManager(mgr, admission); err != nil {
			return fmt.Errorf("serving the bench's objects: %w", err)
		}
	}
	return nil
}

// jobRuns tells whether a Job in a namespace runs.
func jobRuns(reader client.Reader) func(ctx context.Context, namespace string) (bool, error) {
	return func(ctx context.Context, namespace string) (bool, error) {
		jobs := &unstructured.UnstructuredList{}
		jobs.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("JobList"))
		if err := reader.List(ctx, jobs, client.InNamespace(namespace)); err != nil {
			return false, fmt.Errorf("listing the Jobs of %s: %w", namespace, err)
		}
		return slices.ContainsFunc(jobs.Items, func(j unstructured.Unstructured) bool {
			return j.GetDeletionTimestamp() == nil && history.JobRuns(j.Object)
		}), nil
	}
}

// times returns the times from which time limits are computed in a namespace.
func (b *Bench) times(measurements *traffic.Controller) func(namespace string) expectation.Times {
	return func(namespace string) expectation.Times {
		return expectation.Times{
			Claims: b.options.profile(namespace).Spec.Claims, Scale: b.options.TimeoutScale,
			LongestPause: func(name string) (time.Duration, error) {
				return measurements.LongestPause(types.NamespacedName{Namespace: namespace, Name: name})
			},
			Failing: func(began, until time.Time) (time.Duration, int) {
				primary := b.options.profile(namespace).Spec.Contract.Resource
				return b.options.Recorder.Failing(namespace, schema.GroupResource{Group: primary.Group, Resource: primary.Plural}, began, until)
			},
			LastFailure: func() time.Time { return b.options.Recorder.LastFailure(namespace) },
		}
	}
}

// owed returns what the subjects in a namespace may still have to try again, and when they sent
// their first request.
func (b *Bench) owed(namespace string) (failed []history.Owed, first time.Time) {
	if requests := b.options.Recorder.Requests(history.Query{Scenario: namespace, Everything: true}); len(requests) > 0 {
		first = requests[0].Time
	}
	return b.options.Recorder.Owed(namespace, 0), first
}
