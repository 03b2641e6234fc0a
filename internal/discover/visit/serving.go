package visit

import (
	"context"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

// servingBefore finds out what the controller serves before an object is changed.
func (v *visitor) servingBefore(ctx context.Context) (err error) {
	v.record.Before, err = v.pages(ctx)
	return err
}

// pages returns what the controller serves now.
func (v *visitor) pages(ctx context.Context) (pages []infer.Page, err error) {
	_, served, err := v.session.Bench.Serving(ctx, Namespace, replica, v.paths())
	for _, page := range served {
		pages = append(pages, infer.Page(page))
	}
	return pages, err
}

// serving finds out what the controller serves.
func (v *visitor) serving(ctx context.Context) error {
	ports, pages, err := v.session.Bench.Serving(ctx, Namespace, replica, v.paths())
	if err != nil {
		return err
	}
	v.record.Ports = ports
	for _, page := range pages {
		v.record.Pages = append(v.record.Pages, infer.Page(page))
	}
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
