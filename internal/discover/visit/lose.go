package visit

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/history"
)

// lose deletes the main child of an object, and looks whether the controller makes another.
// It does so only with workloads whose Pods are to run for ever: others may be meant to be
// made once.
func (v *visitor) lose(ctx context.Context, name string) error {
	main, workload := v.record.MainOf(name), v.record.MainWorkload()
	if main.Name == "" || !infer.RollsOut(main.Kind) {
		return nil
	}
	patience := rollout
	if v.record.Polls() {
		patience = untilPeriod
	}
	resource := schema.GroupVersionResource{Group: workload.Group, Version: workload.Version, Resource: workload.Plural}
	deed := func() error {
		background := metav1.DeletePropagationBackground
		return client.IgnoreNotFound(
			v.dynamic.Resource(resource).Namespace(Namespace).Delete(ctx, main.Name, metav1.DeleteOptions{PropagationPolicy: &background}))
	}
	err := v.do(ctx, infer.Act{Deed: infer.Lose, Object: name}, deed, func(after int64) error {
		err := v.awaitAtMost(ctx, patience, func() (bool, error) {
			for _, q := range v.session.Recorder.Requests(history.Query{Scenario: Namespace, After: after}) {
				if q.Verb == history.VerbCreate && q.Group == workload.Group && q.Resource == workload.Plural && q.Effect == history.EffectEffective {
					return true, nil
				}
			}
			return false, nil
		})
		if err != nil {
			return err
		}
		return v.settle(ctx, after, look)
	})
	if err != nil {
		return fmt.Errorf("deleting a child: %w", err)
	}
	return nil
}
