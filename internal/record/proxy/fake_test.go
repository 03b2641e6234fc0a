package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

const (
	adminToken   = "Bearer admin"
	subjectToken = "Bearer subject"
)

// fakeServer is an API server that knows what it is told: what the administrator may
// read, what the subject may do, and how to answer the subject.
type fakeServer struct {
	*httptest.Server

	mu      sync.Mutex
	objects map[string]string // what the administrator finds, by path
	denied  map[string]bool   // "verb resource" that the subject may not
	users   map[string]string // the groups of those who may do something, by the users
	reviews int
	seen    []*http.Request // from the subject
	answer  http.HandlerFunc
	looked  func(path string) // called before the administrator finds something
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{
		objects: map[string]string{
			"/api/v1": `{"kind":"APIResourceList","resources":[{"name":"pods","namespaced":true},{"name":"pods/status","namespaced":true},
				{"name":"nodes"},{"name":"namespaces"},{"name":"configmaps","namespaced":true}]}`,
			"/apis/coordination.k8s.io/v1": `{"kind":"APIResourceList","resources":[{"name":"leases","namespaced":true}]}`,
		},
		denied: map[string]bool{},
		users:  map[string]string{"system:serviceaccount:a:subject": "system:authenticated,system:serviceaccounts,system:serviceaccounts:a"},
		answer: func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, `{"kind":"PodList","items":[]}`) },
	}
	f.Server = httptest.NewUnstartedServer(f)
	f.EnableHTTP2 = true
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == adminToken {
		f.look(w, r)
		return
	}
	f.mu.Lock()
	f.seen = append(f.seen, r)
	answer := f.answer
	f.mu.Unlock()
	answer(w, r)
}

func (f *fakeServer) look(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	looked := f.looked
	f.mu.Unlock()
	if looked != nil {
		looked(r.URL.Path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/subjectaccessreviews") {
		var review authorizationv1.SubjectAccessReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			panic(err)
		}
		f.reviews++
		a := review.Spec.ResourceAttributes
		groups, known := f.users[review.Spec.User]
		review.Status.Allowed = !f.denied[a.Verb+" "+a.Resource] && known && groups == strings.Join(review.Spec.Groups, ",")
		w.WriteHeader(201)
		_ = json.NewEncoder(w).Encode(review)
		return
	}
	if found, ok := f.objects[r.URL.Path]; ok {
		reply(w, 200, found)
		return
	}
	reply(w, 404, `{"kind":"Status","code":404,"reason":"NotFound"}`)
}

func (f *fakeServer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// last request of the subject, nil if there was none, and forgets it.
func (f *fakeServer) last() *http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.seen) == 0 {
		return nil
	}
	last := f.seen[len(f.seen)-1]
	f.seen = nil
	return last
}

func (f *fakeServer) config() *rest.Config {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})
	return &rest.Config{
		Host: f.URL, BearerToken: strings.TrimPrefix(adminToken, "Bearer "), TLSClientConfig: rest.TLSClientConfig{CAData: ca},
	}
}

func reply(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// replica is a client behind a proxy of its own.
type replica struct {
	*proxy.Proxy
	recorder *history.Recorder
	client   *http.Client
	changed  chan struct{}
}

func newReplica(t *testing.T, upstream *rest.Config, scope proxy.Scope) *replica {
	t.Helper()
	authority, err := proxy.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	recorder := history.New(nil, nil)
	changed := make(chan struct{}, 1)
	recorder.Subscribe(func(string) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	p, err := proxy.Start(t.Context(), proxy.Options{
		Authority: authority, Upstream: upstream, Scope: scope, User: "system:serviceaccount:a:subject",
		Scenario: "a", Subject: "subject", Replica: "subject-0", Recorder: recorder,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &replica{Proxy: p, recorder: recorder, client: newClient(authority, true), changed: changed}
}

func newClient(authority *proxy.Authority, http2 bool) *http.Client {
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority.Bundle())
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: http2, DisableCompression: true,
	}}
}

// do asks and reads the whole answer.
func (r *replica) do(t *testing.T, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	response, err := r.open(t, method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func (r *replica) open(t *testing.T, method, path, body string, header ...string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://"+r.Address()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", subjectToken)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return r.client.Do(request)
}

// last request as it is recorded.
func (r *replica) last(t *testing.T) history.Request {
	t.Helper()
	all := r.recorder.Requests(history.Query{Scenario: "a", Everything: true})
	if len(all) == 0 {
		t.Fatal("nothing is recorded")
	}
	return all[len(all)-1]
}

// eventually waits until the record says what is wanted.
func (r *replica) eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-r.changed:
		case <-deadline:
			t.Fatalf("never: %s; recorded: %s", what, fmt.Sprintf("%+v", r.last(t)))
		}
	}
}
