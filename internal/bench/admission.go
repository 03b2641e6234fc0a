package bench

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/pods"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/process/incluster"
	"reconform.dev/reconform/internal/record/proxy"
)

const (
	// admissionTimeout is how long the API server waits for an answer, in seconds. An
	// Observation of an endpoint may need ten for its first reading.
	admissionTimeout = 30
	// unreachable is what an API server says if it cannot reach a webhook.
	unreachable = "failed calling webhook"
	// registration limits how long it may take until the API server asks the webhook.
	registration = 30 * time.Second
)

// webhook is the server that the API server asks about the bench's objects.
type webhook struct {
	server *http.Server
	url    string
	bundle []byte
	// mayNeedRelay is true if the API server runs elsewhere, and may not reach the URL.
	mayNeedRelay bool
	relay        *incluster.Relay // nil if the API server reaches the URL
}

// startWebhook listens on the loopback address. It serves the bench's own hooks and, unless
// it is nil, the handler of new Pods. It passes requests for the Subjects' webhooks on to
// them.
func startWebhook(ctx context.Context, hooks *objects.Admission, subjects *subject.Controller, aboutPods admission.Handler, authority *proxy.Authority) (*webhook, error) {
	certificate, err := authority.Issue(incluster.RelayHost)
	if err != nil {
		return nil, fmt.Errorf("preparing the admission webhook: %w", err)
	}
	handler, err := admission.StandaloneWebhook(&admission.Webhook{Handler: hooks}, admission.StandaloneOptions{})
	if err != nil {
		return nil, fmt.Errorf("preparing the admission webhook: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.Handle(subject.WebhookPath, subjects)
	mux.HandleFunc(subject.ConversionPath, subjects.ServeConversion)
	if aboutPods != nil {
		changes, err := admission.StandaloneWebhook(&admission.Webhook{Handler: aboutPods}, admission.StandaloneOptions{})
		if err != nil {
			return nil, fmt.Errorf("preparing the webhook for Pods: %w", err)
		}
		mux.Handle(podsPath, changes)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for admission requests: %w", err)
	}
	w := &webhook{
		server: &http.Server{
			Handler: mux, ReadHeaderTimeout: 10 * time.Second,
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
			ErrorLog:  log.New(io.Discard, "", 0),
		},
		url: "https://" + listener.Addr().String(), bundle: authority.Bundle(),
	}
	w.serve(listener)
	return w, nil
}

func (w *webhook) serve(listener net.Listener) {
	go func() { _ = w.server.ServeTLS(listener, "", "") }()
}

// config returns the client configuration with which the API server reaches a path.
func (w *webhook) config(path string) admissionregistrationv1.WebhookClientConfig {
	config := admissionregistrationv1.WebhookClientConfig{CABundle: w.bundle}
	if w.relay != nil {
		config.Service = &admissionregistrationv1.ServiceReference{Namespace: incluster.RelayNamespace, Name: incluster.RelayService, Path: &path}
	} else {
		config.URL = ptr.To(w.url + path)
	}
	return config
}

// registerWebhook makes the API server ask the webhook, and returns when it does. An API
// server that does not reach this machine asks the relay.
func (b *Bench) registerWebhook(ctx context.Context, clientset kubernetes.Interface) error {
	b.webhook.mayNeedRelay = b.options.Shared
	err := b.webhook.register(ctx, b.client)
	if err == nil || !b.options.Shared || ctx.Err() != nil {
		return err
	}
	var failed error
	b.webhook.relay, failed = incluster.StartRelay(ctx, b.options.Config, clientset, pods.Image(b.options.ImagePrefix), b.webhook.serve)
	if failed != nil {
		return errors.Join(err, failed)
	}
	return b.webhook.register(ctx, b.client)
}

// register makes the API server ask the webhook, and returns when it does. If only a relay is
// missing, it also returns when the API server says that it cannot reach the webhook.
func (w *webhook) register(ctx context.Context, cluster client.Client) error {
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.AdmissionName, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    v1alpha1.AdmissionName,
			ClientConfig:            w.config("/"),
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNoneOnDryRun),
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			TimeoutSeconds:          ptr.To[int32](admissionTimeout),
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{v1alpha1.GroupVersion.Group}, APIVersions: []string{v1alpha1.GroupVersion.Version},
					Resources: []string{"*"}, Scope: ptr.To(admissionregistrationv1.NamespacedScope),
				},
			}},
		}},
	}
	for _, kind := range []client.Object{configuration, &admissionregistrationv1.MutatingWebhookConfiguration{}} {
		if err := cluster.DeleteAllOf(ctx, kind, client.HasLabels{v1alpha1.LabelBench}); err != nil {
			return fmt.Errorf("removing the webhooks of an older bench: %w", err)
		}
	}
	if err := cluster.Create(ctx, configuration); err != nil {
		return fmt.Errorf("registering the admission webhook: %w", err)
	}
	var last error
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, registration, true, func(ctx context.Context) (bool, error) {
		last = cluster.Create(ctx, refusedFault(), client.DryRunAll)
		if last != nil && strings.Contains(last.Error(), unreachable) && w.mayNeedRelay && w.relay == nil {
			return false, last
		}
		return isRefusal(last), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the API server to ask the admission webhook: %w", errors.Join(err, last))
	}
	return nil
}

// isRefusal tells whether an error is the webhook's answer, and not a problem of reaching
// it.
func isRefusal(err error) bool {
	return err != nil && strings.Contains(err.Error(), v1alpha1.AdmissionName) && strings.Contains(err.Error(), "denied the request")
}

// refusedFault returns a Fault that only the webhook refuses.
func refusedFault() *v1alpha1.Fault {
	return &v1alpha1.Fault{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "is-the-webhook-asked"},
		Spec: v1alpha1.FaultSpec{
			Match:  v1alpha1.FaultMatch{RequestMatch: v1alpha1.RequestMatch{Resources: []string{"nothings." + v1alpha1.GroupVersion.Group}}},
			Action: v1alpha1.FaultAction{Hold: &v1alpha1.Empty{}},
		},
	}
}

func (w *webhook) close() error {
	if w == nil {
		return nil
	}
	w.relay.Close()
	return w.server.Close()
}
