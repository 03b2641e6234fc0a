package envtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/envtest/metrics"
)

// startMetrics starts the server of the Pods' metrics. It runs in this process, until the
// control plane is stopped or breaks. It answers kube-apiserver only.
func (cp *ControlPlane) startMetrics(ctx context.Context, cluster kubernetes.Interface) error {
	certificate, err := cp.users.serving(metrics.Host)
	if err != nil {
		return err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(cp.users.cert)
	listener, err := net.Listen("tcp", net.JoinHostPort("localhost", "0"))
	if err != nil {
		return fmt.Errorf("starting the server of metrics: %w", err)
	}
	server := &http.Server{
		Handler:   metrics.NewHandler(cluster),
		ErrorLog:  log.New(io.Discard, "", 0), // there is nobody to tell
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert},
	}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	go func() {
		<-cp.done
		_ = server.Close()
	}()
	if err := metrics.Install(ctx, cluster, listener.Addr().(*net.TCPAddr).Port, encoded(cp.users.cert)); err != nil {
		return err
	}
	return cp.waitFor(ctx, "the API of metrics", func(ctx context.Context) error { return metrics.Available(ctx, cluster) })
}
