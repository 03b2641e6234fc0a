package envtest

import (
	"context"
	"crypto/tls"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/envtest/metrics"
)

// startMetrics starts the server of the Pods' metrics. It answers kube-apiserver only.
func (cp *ControlPlane) startMetrics(ctx context.Context, cluster kubernetes.Interface) error {
	port, err := cp.serve(metrics.Host, metrics.NewHandler(cluster), tls.RequireAndVerifyClientCert)
	if err != nil {
		return err
	}
	if err := metrics.Install(ctx, cluster, port, encoded(cp.users.cert)); err != nil {
		return err
	}
	return cp.waitFor(ctx, "the API of metrics", func(ctx context.Context) error { return metrics.Available(ctx, cluster) })
}
