package e2e

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"

	"reconform.dev/reconform/envtest/metrics"
	"reconform.dev/reconform/internal/process/incluster"
	"reconform.dev/reconform/internal/record/proxy"
)

// TestWorkloads runs the workloads of docs/cluster.md on this cluster, by the test that runs
// them on the local control plane.
func TestWorkloads(t *testing.T) {
	feature := features.New("the workloads of the local control plane").
		Assess("run", func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
			before := everything(t, config)
			removeVolumes := offerVolumes(t, config, "workloads")
			takeBack := equip(t, config)
			stop := serveMetrics(t, config)
			// One after another: the nodes may be few, and small.
			command := exec.CommandContext(t.Context(), "../bin/envtest.test", "-test.v", "-test.parallel=1", "-test.run=^TestWhatAClusterHas$")
			command.Dir = "../envtest"
			command.Env = append(os.Environ(), "ENVTEST_KUBECONFIG="+config.KubeconfigFile())
			command.Stdout, command.Stderr = os.Stdout, os.Stderr
			if err := command.Run(); err != nil {
				t.Errorf("%s: %v", command, err)
			}
			stop()
			takeBack()
			removeVolumes()
			await(t, config, before)
			return ctx
		})
	testenv.Test(t, feature.Feature())
}

// equip gives each node what those of the local control plane have: a zone of its own, and
// two GPUs, which are no more than a number. It returns what takes that back.
func equip(t *testing.T, config *envconf.Config) (takeBack func()) {
	t.Helper()
	var nodes corev1.NodeList
	if err := config.Client().Resources().List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	set := func(name, zone, gpus string) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		patch(t, config, node, fmt.Sprintf(`{"metadata": {"labels": {%q: %s}}}`, corev1.LabelTopologyZone, zone))
		status := fmt.Appendf(nil, `{"status": {"capacity": {"nvidia.com/gpu": %s}, "allocatable": {"nvidia.com/gpu": %[1]s}}}`, gpus)
		if err := config.Client().Resources().PatchStatus(t.Context(), node, k8s.Patch{PatchType: types.MergePatchType, Data: status}); err != nil {
			t.Fatal(err)
		}
	}
	for n, node := range nodes.Items {
		set(node.Name, fmt.Sprintf(`"zone-%d"`, n), `"2"`)
	}
	return func() {
		for _, node := range nodes.Items {
			zone := "null"
			if had, has := node.Labels[corev1.LabelTopologyZone]; has {
				zone = fmt.Sprintf("%q", had)
			}
			set(node.Name, zone, "null")
		}
	}
}

// serveMetrics serves the metrics of Pods that the local control plane has, in place of
// metrics-server: what a Pod uses is in its annotations. The API server reaches this process
// by the relay. What is returned ends it.
func serveMetrics(t *testing.T, config *envconf.Config) (stop func()) {
	t.Helper()
	authority, err := proxy.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := authority.Issue(incluster.RelayHost)
	if err != nil {
		t.Fatal(err)
	}
	cluster := clientset(t, config)
	server := &http.Server{
		Handler: metrics.NewHandler(cluster), ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	}
	relay, err := incluster.StartRelay(t.Context(), config.Client().RESTConfig(), cluster, standIn, func(listener net.Listener) {
		go func() { _ = server.ServeTLS(listener, "", "") }()
	})
	if err != nil {
		t.Fatal(err)
	}
	service := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1beta1.metrics.k8s.io"},
		"spec": map[string]any{
			"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
			"caBundle": base64.StdEncoding.EncodeToString(authority.Bundle()),
			"service":  map[string]any{"namespace": incluster.RelayNamespace, "name": incluster.RelayService},
		},
	}}
	if err := config.Client().Resources().Create(t.Context(), service); err != nil {
		t.Fatal("is there a metrics server already?", err)
	}
	become(t, config, service, condition("Available"))
	return func() {
		removed(t, config, service)
		relay.Close()
		_ = server.Close()
		removed(t, config, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: incluster.RelayNamespace}})
	}
}
