package subject

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

const review = `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "the-uid"}}`

// hooked makes replicas that serve a webhook, each with its name as the answer.
type hooked struct {
	env       *Environment
	authority *proxy.Authority
}

func newHooked(t *testing.T) hooked {
	t.Helper()
	authority, err := proxy.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	p := &profile.Profile{}
	p.Spec.Launch.Webhook = &v1alpha1.LaunchWebhook{Port: "webhook"}
	return hooked{&Environment{Recorder: history.New(nil, nil), Profile: func(string) *profile.Profile { return p }}, authority}
}

func (h hooked) replica(t *testing.T, name string) *replica {
	t.Helper()
	return h.answering(t, name, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d", name, r.URL, len(body))
	})
}

// answering makes a replica with another answer.
func (h hooked) answering(t *testing.T, name string, answer http.HandlerFunc) *replica {
	t.Helper()
	files, err := webhookFiles(h.authority)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair([]byte(files["tls.crt"]), []byte(files["tls.key"]))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(answer)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	return &replica{
		env: h.env, name: name, subject: &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}},
		ports: map[string]int{"webhook": port}, webhook: webhookClient(h.authority, (&net.Dialer{}).DialContext), current: &life{},
	}
}

// serve lets the replicas answer the API server, until the end of the test.
func (h hooked) serve(t *testing.T, replicas ...*replica) *httptest.Server {
	t.Helper()
	s := &Controller{instances: map[types.NamespacedName]*instance{{Namespace: "ns", Name: "subject"}: {replicas: replicas}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server
}

// ask asks as the API server does. If there is no answer, the text is empty.
func ask(t *testing.T, server *httptest.Server, namespace, body string) string {
	t.Helper()
	response, err := http.Post(server.URL+WebhookPath+namespace+"/validate?timeout=10s", "application/json", strings.NewReader(body))
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestWhoAnswersForTheWebhook(t *testing.T) {
	first := fmt.Sprintf("first /validate?timeout=10s %d", len(review))
	second := strings.Replace(first, "first", "second", 1)
	for name, tc := range map[string]struct {
		change func(first, second *replica)
		want   string
	}{
		"the first":                   {func(*replica, *replica) {}, first},
		"not one that is down":        {func(f, _ *replica) { f.current = nil }, second},
		"not one that is paused":      {func(f, _ *replica) { f.current.paused = true }, second},
		"not one that does not serve": {func(f, _ *replica) { f.ports["webhook"] = 1 }, second},
		"not one that is cut off":     {func(f, _ *replica) { f.cutOff = true }, second},
		"nobody, both are cut off":    {func(f, s *replica) { f.cutOff, s.cutOff = true, true }, ""},
		"nobody, the other is down":   {func(f, s *replica) { f.current, s.cutOff = nil, true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			one, two := h.replica(t, "first"), h.replica(t, "second")
			tc.change(one, two)
			if got := ask(t, h.serve(t, one, two), "ns", review); got != tc.want {
				t.Errorf("answer %q, want %q", got, tc.want)
			}
		})
	}
}

// TestBenchAnswersForTheWebhook: the bench answers if no replica can, unless a replica
// was cut off.
func TestBenchAnswersForTheWebhook(t *testing.T) {
	h := newHooked(t)
	down := h.replica(t, "down")
	down.current = nil
	server := h.serve(t, down)
	for _, namespace := range []string{"ns", "without-a-subject"} {
		var answer admissionv1.AdmissionReview
		if err := json.Unmarshal([]byte(ask(t, server, namespace, review)), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Kind != "AdmissionReview" || answer.Response == nil || answer.Response.UID != "the-uid" || !answer.Response.Allowed {
			t.Errorf("%s: %+v", namespace, answer)
		}
	}
	for user, allowed := range map[string]bool{
		"admin": true, "system:admin": true, "system:serviceaccount:team:deployer": true,
		"system:kube-controller-manager": false, "system:serviceaccount:kube-system:statefulset-controller": false, "system:kwok": false, "system:node:one": false,
	} {
		of := strings.Replace(review, `"uid"`, `"userInfo": {"username": "`+user+`"}, "uid"`, 1)
		if got := ask(t, server, "ns", of); strings.Contains(got, `"allowed":true`) != allowed || !allowed && got != "" {
			t.Errorf("written by %s: answer %q, allowed: want %t", user, got, allowed)
		}
	}
	if got := ask(t, server, "ns", "{}"); !strings.Contains(got, "not an AdmissionReview") {
		t.Errorf("to nonsense: %s", got)
	}
}

// TestWebhookThatBreaksOff: the API server gets no answer either, so the failurePolicy decides.
// But if the process has ended meanwhile, nobody serves the webhook any more.
func TestWebhookThatBreaksOff(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func(w http.ResponseWriter)
		ended  bool
		want   string // is contained in the answer; empty if there is none
	}{
		"before the answer": {answer: func(http.ResponseWriter) { panic(http.ErrAbortHandler) }},
		"in the answer": {answer: func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
			panic(http.ErrAbortHandler)
		}},
		"as its process ended": {answer: func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, ended: true, want: `"allowed":true`},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			var r *replica
			r = h.answering(t, "subject-0", func(w http.ResponseWriter, _ *http.Request) {
				if tc.ended {
					r.mu.Lock()
					r.current = nil
					r.mu.Unlock()
				}
				tc.answer(w)
			})
			if got := ask(t, h.serve(t, r), "ns", review); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("answer %q, want %q in it", got, tc.want)
			}
		})
	}
}

func TestCutWebhook(t *testing.T) {
	h := newHooked(t)
	r := h.replica(t, "subject-0")
	if err := r.cutWebhook(t.Context()); err != nil || r.webhookState() != webhookCut {
		t.Errorf("cut off: %v, state %d", err, r.webhookState())
	}
	r.mendWebhook()
	r.mendWebhook()
	if r.webhookState() != webhookOpen {
		t.Errorf("mended: state %d", r.webhookState())
	}
	var reasons []string
	for _, event := range h.env.Recorder.Events("ns") {
		reasons = append(reasons, event.Reason)
	}
	if got := strings.Join(reasons, " "); got != "WebhookCut WebhookMended" {
		t.Errorf("events: %s", got)
	}

	r.ports["webhook"] = 1
	if err := r.cutWebhook(t.Context()); err == nil || !strings.Contains(err.Error(), "it serves no webhook at launch.webhook.port") {
		t.Errorf("at a port where nobody listens: %v", err)
	}
	r.webhook = nil
	if err := r.cutWebhook(t.Context()); err == nil || !strings.Contains(err.Error(), "its profile has no launch.webhook") {
		t.Errorf("without a webhook: %v", err)
	}
}
