package visit

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

// servingBefore finds out what the controller serves before an object is changed.
func (v *visitor) servingBefore(ctx context.Context) (err error) {
	v.record.Before, err = v.pages(ctx)
	return err
}

// pages returns what the controller serves now.
func (v *visitor) pages(ctx context.Context) ([]infer.Page, error) {
	_, pages, err := v.served(ctx)
	return pages, err
}

// served returns the ports on which the controller listens now, and what it serves there. If its
// process has ended by itself, served waits until it is ready again. If that takes too long, it
// may serve nothing.
func (v *visitor) served(ctx context.Context) (ports []int, pages []infer.Page, err error) {
	if len(infer.Crashes(v.session.Recorder.Account(Namespace))) > 0 {
		subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: subjectName, Namespace: Namespace}}
		err := v.awaitAtMost(ctx, rollout, func() (bool, error) {
			err := v.client.Get(ctx, client.ObjectKeyFromObject(subject), subject)
			return subject.Status.Ready > 0, err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("waiting for the controller: %w", err)
		}
	}
	ports, served, err := v.session.Bench.Serving(ctx, Namespace, replica, v.paths())
	for _, page := range served {
		pages = append(pages, infer.Page(page))
	}
	return ports, pages, err
}

// serving finds out what the controller serves.
func (v *visitor) serving(ctx context.Context) error {
	ports, pages, err := v.served(ctx)
	if err != nil {
		return err
	}
	v.record.Ports = ports
	v.record.Pages = append(v.record.Pages, pages...)
	if webhook := v.Profile.Spec.Launch.Webhook; webhook != nil {
		v.record.Webhook = &infer.Webhook{Port: int(v.Profile.Spec.Launch.FixedPorts[webhook.Port]), OnlyConverts: len(v.Profile.Spec.Install.Webhooks) == 0}
		if err := v.session.Bench.CheckWebhook(ctx, Namespace, replica); err != nil {
			v.record.Webhook.Problem = err.Error()
		}
	}
	return nil
}

// paths returns the paths that are asked for on every port: the usual ones and the declared
// ones.
func (v *visitor) paths() []string {
	paths := infer.Paths()
	for _, name := range []v1alpha1.EndpointName{v1alpha1.EndpointHealth, v1alpha1.EndpointMetrics} {
		if declared, ok := v.Profile.Endpoint(name); ok && !slices.Contains(paths, declared.Path) {
			paths = append(paths, declared.Path)
		}
	}
	return paths
}
