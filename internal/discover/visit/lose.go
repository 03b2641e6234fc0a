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

// lose deletes the Service of an object, and then its main child, and looks whether the
// controller makes others. The Service goes first: while a new main child gets its Pods, a
// controller looks at everything, also if it does not watch Services. Only workloads whose
// Pods are to run for ever are deleted: others may be meant to be made once.
func (v *visitor) lose(ctx context.Context, name string) error {
	main, workload := v.record.MainOf(name), v.record.MainWorkload()
	if main.Name == "" || !infer.RollsOut(main.Kind) {
		return nil
	}
	if service := v.record.ServiceOf(name); service.Name != "" {
		services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
		if err := v.loseChild(ctx, infer.Act{Deed: infer.Unserve, Object: name}, services, service.Name); err != nil {
			return err
		}
	}
	resource := schema.GroupVersionResource{Group: workload.Group, Version: workload.Version, Resource: workload.Plural}
	return v.loseChild(ctx, infer.Act{Deed: infer.Lose, Object: name}, resource, main.Name)
}

// loseChild deletes a child, and waits until the controller makes another, if it does.
func (v *visitor) loseChild(ctx context.Context, act infer.Act, resource schema.GroupVersionResource, child string) error {
	deed := func() error {
		background := metav1.DeletePropagationBackground
		return client.IgnoreNotFound(
			v.dynamic.Resource(resource).Namespace(Namespace).Delete(ctx, child, metav1.DeleteOptions{PropagationPolicy: &background}))
	}
	err := v.do(ctx, act, deed, func(after int64) error {
		err := v.awaitAtMost(ctx, v.healing(), func() (bool, error) {
			for _, q := range v.session.Recorder.Requests(history.Query{Scenario: Namespace, After: after}) {
				if q.Verb == history.VerbCreate && q.Group == resource.Group && q.Resource == resource.Resource && q.Effect == history.EffectEffective {
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
