package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/internal/record/history"
)

// slowly holds every request back before it is forwarded.
type slowly time.Duration

func (s slowly) Intercept(call *Call, next Next) (Answer, error) {
	time.Sleep(time.Duration(s)) // in the time of a synctest bubble
	response, err := next(call.Out)
	return Answer{Response: response}, err
}

func TestDeadline(t *testing.T) {
	const never = 24 * time.Hour
	tests := map[string]struct {
		method string
		query  string
		held   time.Duration // by an interceptor
		answer time.Duration // after which the API server answers
		gone   time.Duration // after which the replica is

		took time.Duration
		code int
		note string
	}{
		"a write that is never answered": {
			method: http.MethodPost, answer: never,
			took: writeTimeout, code: 503, note: "connection dropped: the API server did not answer the write within 1m10s",
		},
		"a write that is never answered, and its replica is gone": {
			method: http.MethodPost, answer: never, gone: 30 * time.Second,
			took: writeTimeout, code: 503, note: "connection dropped: the API server did not answer the write within 1m10s",
		},
		"a write that is answered when its replica has broken it off": {
			method: http.MethodPost, answer: time.Minute, gone: 30 * time.Second,
			took: time.Minute, code: 201, note: history.NoteUnawaited,
		},
		"a write that is answered late": {
			method: http.MethodPost, answer: 69 * time.Second, took: 69 * time.Second, code: 201,
		},
		"a write that is held before it is forwarded": {
			method: http.MethodPost, held: 5 * time.Minute, answer: time.Minute, took: 6 * time.Minute, code: 201,
		},
		"a write that is held, and never answered": {
			method: http.MethodPost, held: 5 * time.Minute, answer: never,
			took: 5*time.Minute + writeTimeout, code: 503,
			note: "connection dropped: the API server did not answer the write within 1m10s",
		},
		"a list":  {method: http.MethodGet, answer: 5 * time.Minute, took: 5 * time.Minute, code: 201},
		"a watch": {method: http.MethodGet, query: "?watch=true", answer: 5 * time.Minute, took: 5 * time.Minute, code: 201},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				p, err := newProxy(Options{
					Upstream: serveAfter(t, test.answer), Scope: Scope{Namespaces: []string{"a"}},
					Scenario: "a", Replica: "subject-0", Recorder: recorder, Interceptor: slowly(test.held),
				})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.gone > 0 {
					time.AfterFunc(test.gone, cancel)
				}
				begun := time.Now()
				ask(ctx, p, test.method, "/api/v1/namespaces/a/pods"+test.query)
				recorded := recorder.Requests(history.Query{Scenario: "a"})[0]
				got := []any{time.Since(begun), recorded.Finished, recorded.Code, recorded.Note}
				if diff := cmp.Diff([]any{test.took, true, test.code, test.note}, got); diff != "" {
					t.Errorf("how long it took, and what is recorded (-want +got):\n%s", diff)
				}
				p.transport.CloseIdleConnections()
			})
		})
	}
}

// ask the proxy, without a connection. It aborts the handler if there is no answer.
func ask(ctx context.Context, p *Proxy, method, target string) {
	defer func() {
		if broken := recover(); broken != nil && broken != http.ErrAbortHandler {
			panic(broken)
		}
	}()
	body := strings.NewReader(`{"metadata":{"name":"p"}}`)
	p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, target, body))
}

// serveAfter is an API server that answers after a time. It is reached through pipes,
// so that it lives in the bubble of a synctest.
func serveAfter(t *testing.T, after time.Duration) *rest.Config {
	t.Helper()
	connections := make(pipes)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that a client has gone only then
		select {
		case <-time.After(after):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		if r.URL.RawQuery == "" {
			_, _ = w.Write([]byte(`{"kind":"Pod","metadata":{"name":"p","uid":"u","resourceVersion":"1"}}`))
		}
	})}
	served := make(chan error)
	go func() { served <- server.Serve(connections) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return &rest.Config{Host: "http://api.test", Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe()
		select {
		case connections <- server:
			return client, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

// pipes is a listener that is handed its connections.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
