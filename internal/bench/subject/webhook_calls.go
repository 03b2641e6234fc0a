package subject

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// WebhookPath is the path below which the bench serves the webhooks of Subjects, by the
// Subject's namespace.
const WebhookPath = "/webhooks/"

// largestReview is larger than any AdmissionReview with an object and its old version.
const largestReview = 16 << 20

// errNobodyListens: no process of a replica accepts connections for webhooks.
var errNobodyListens = errors.New("nobody listens")

// ServeHTTP passes a webhook request of the API server to a replica, as a Service would do.
// If none can, the answer depends on who wrote the object. What the scenario writes is
// allowed, because scenarios write primary objects while the controller is down. Nobody
// answers what the cluster itself writes, such as the Pods of a StatefulSet: then the
// failurePolicy decides, as it does on every cluster. Nobody answers either if a replica
// was cut off or broke the connection off.
func (s *Controller) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	namespace, path, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, WebhookPath), "/")
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, largestReview))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review := admissionv1.AdmissionReview{}
	if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
		http.Error(w, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	unanswered := false
	for _, r := range s.replicasIn(namespace) {
		switch r.webhookState() {
		case webhookCut:
			unanswered = true
		case webhookOpen:
			asked := r.life()
			answer, content, err := r.reviewed(request, "/"+path, body)
			if err == nil {
				w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
				w.WriteHeader(answer.StatusCode)
				_, _ = w.Write(content)
				return
			}
			unanswered = unanswered || r.brokeOff(asked, err)
		}
	}
	if unanswered || request.Context().Err() != nil || isOfCluster(review.Request.UserInfo.Username) {
		panic(http.ErrAbortHandler)
	}
	pass(w, review)
}

// reviewed returns the answer of a replica to a question of the API server, and its content.
func (r *replica) reviewed(request *http.Request, path string, body []byte) (*http.Response, []byte, error) {
	answer, err := r.askWebhook(request.Context(), path, request.URL.RawQuery, body)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(http.MaxBytesReader(nil, answer.Body, largestReview))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the answer of a webhook: %w", err)
	}
	return answer, content, nil
}

// endsWithin is how long the end of a process may take to show, after its connections were cut.
const endsWithin = time.Second

// brokeOff says whether a process accepted a question for a webhook and did not answer it,
// though it goes on running.
func (r *replica) brokeOff(asked *life, err error) bool {
	runs := func() bool { return r.webhookState() == webhookOpen && r.life() == asked }
	if errors.Is(err, errNobodyListens) || !runs() {
		return false
	}
	late := time.NewTimer(endsWithin)
	defer late.Stop()
	select {
	case <-asked.over:
		return false
	case <-late.C:
		return runs()
	}
}

// isOfCluster says whether a component of the cluster has this name: kube-controller-manager
// or one of its controllers, kube-scheduler, a node.
func isOfCluster(user string) bool {
	return slices.ContainsFunc([]string{"system:kube-", "system:kwok", "system:node:", "system:serviceaccount:kube-system:"},
		func(prefix string) bool { return strings.HasPrefix(user, prefix) })
}

// pass answers a webhook request in place of the controller: the object is allowed.
func pass(w http.ResponseWriter, review admissionv1.AdmissionReview) {
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// webhookState tells whether the webhook of a replica can be asked.
type webhookState int

const (
	webhookClosed webhookState = iota // the replica serves none, or no process can answer
	webhookOpen
	webhookCut
)

func (r *replica) webhookState() webhookState {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.webhook == nil:
		return webhookClosed
	case r.cutOff:
		return webhookCut
	case r.current == nil || r.current.paused:
		return webhookClosed
	default:
		return webhookOpen
	}
}

// cutWebhook cuts the webhook off from the API server. The replica must serve one.
func (r *replica) cutWebhook(ctx context.Context) error {
	if err := r.checkWebhook(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	r.cutOff = true
	r.mu.Unlock()
	r.event(history.WebhookCut, "")
	return nil
}

// checkWebhook says why the webhook cannot be asked, or returns nil.
func (r *replica) checkWebhook(ctx context.Context) error {
	if r.webhook == nil {
		return errors.New("it serves no webhook: its profile has no launch.webhook")
	}
	answer, err := r.askWebhook(ctx, "/", "", nil)
	if err != nil {
		return fmt.Errorf("it serves no webhook at launch.webhook.port, with the certificate that it was given: %w", err)
	}
	return answer.Body.Close()
}

// mendWebhook undoes cutWebhook.
func (r *replica) mendWebhook() {
	r.mu.Lock()
	was := r.cutOff
	r.cutOff = false
	r.mu.Unlock()
	if was {
		r.event(webhookMended, "")
	}
}

// askWebhook sends a request to the webhook of the replica.
func (r *replica) askWebhook(ctx context.Context, path, query string, body []byte) (*http.Response, error) {
	port := r.env.Profile(r.subject.Namespace).Spec.Launch.Webhook.Port
	at := url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(r.ports[port])), Path: path, RawQuery: query}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return r.webhook.Do(request)
}

// dialContext is the function with which a client connects.
type dialContext = func(ctx context.Context, network, address string) (net.Conn, error)

// webhookClient returns a client that trusts certificates of the authority. It keeps no
// connections, because the next request may go to another process.
func webhookClient(authority *proxy.Authority, dial dialContext) *http.Client {
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority.Bundle())
	connect := func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNobodyListens, err)
		}
		return connection, nil
	}
	return &http.Client{Transport: &http.Transport{
		DialContext: connect, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
	}}
}

// webhookFiles returns a new certificate and its key, as a Secret of the type
// kubernetes.io/tls holds them.
func webhookFiles(authority *proxy.Authority) (map[string]string, error) {
	certificate, err := authority.Issue()
	if err != nil {
		return nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("encoding the key of a webhook: %w", err)
	}
	return map[string]string{
		"tls.crt": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})),
		"tls.key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	}, nil
}
