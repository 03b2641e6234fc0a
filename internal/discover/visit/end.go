package visit

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

// end ends the process twice: by SIGTERM and by SIGINT.
func (v *visitor) end(ctx context.Context) error {
	v.Console.Phase("ending the process")
	for _, step := range []struct {
		deed   infer.Deed
		action v1alpha1.DisruptionAction
	}{
		{infer.Terminate, v1alpha1.ActionTerminate},
		{"", v1alpha1.ActionRestart},
		{infer.Interrupt, v1alpha1.ActionInterrupt},
	} {
		deed := func() error { return v.disrupt(ctx, step.action) }
		if step.deed == "" {
			if err := deed(); err != nil {
				return err
			}
			if err := v.pass(ctx, changePatience); err != nil {
				return err
			}
			continue
		}
		if err := v.do(ctx, infer.Act{Deed: step.deed}, deed, func(int64) error { return nil }); err != nil {
			return err
		}
	}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: subjectName, Namespace: Namespace}}
	if err := v.client.Delete(ctx, subject); err != nil {
		return fmt.Errorf("ending the controller: %w", err)
	}
	v.Console.Done("the process has ended")
	return nil
}

// disrupt disrupts the process, and waits until that is done or has failed.
func (v *visitor) disrupt(ctx context.Context, action v1alpha1.DisruptionAction) error {
	d := &v1alpha1.Disruption{ObjectMeta: metav1.ObjectMeta{Name: strings.ToLower(string(action)), Namespace: Namespace}}
	d.Spec.Action = action
	if err := v.client.Create(ctx, d); err != nil {
		return fmt.Errorf("ordering %s: %w", action, err)
	}
	// If the process ends late, the record shows that.
	return v.awaitAtMost(ctx, startPatience, func() (bool, error) {
		if err := v.client.Get(ctx, client.ObjectKeyFromObject(d), d); err != nil {
			return false, fmt.Errorf("looking at %s: %w", action, err)
		}
		return d.Status.Phase == v1alpha1.DisruptionDone || d.Status.Phase == v1alpha1.DisruptionFailed, nil
	})
}
