package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// pair connects two ends over a pipe, as exec does.
func pair(t *testing.T) (bench *Tunnel, inPod net.Listener) {
	t.Helper()
	near, far := net.Pipe()
	inPod, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- Serve(t.Context(), far, inPod) }()
	bench, err = Open(near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bench.Close()
		if err := <-served; err != nil {
			t.Errorf("the Pod's end: %v", err)
		}
	})
	return bench, inPod
}

func get(t *testing.T, client *http.Client, url string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestWhatThePodConnectsToIsServedByTheBench(t *testing.T) {
	bench, inPod := pair(t)
	long := strings.Repeat("a megabyte ", 100_000)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) })}
	go func() { _ = server.Serve(bench) }()
	body, err := get(t, http.DefaultClient, "http://"+inPod.Addr().String())
	if err != nil || body != long {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	if err := bench.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, http.DefaultClient, "http://"+inPod.Addr().String()); err == nil {
		t.Error("the Pod is served though the tunnel is closed")
	}
}

// A server of HTTP ends its reading of a connection by a deadline, after each request.
func TestConnectionsServeSeveralRequestsOverTLS(t *testing.T) {
	bench, inPod := pair(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, r.RemoteAddr)
	}))
	server.Listener = bench
	server.StartTLS()
	client := server.Client()
	var dialled atomic.Int32
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		dialled.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, inPod.Addr().String())
	}
	for range 5 {
		response, err := client.Post("https://example.com", "text/plain", strings.NewReader("a request with a body"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	if n := dialled.Load(); n != 1 {
		t.Errorf("%d connections for five requests, want 1", n)
	}
}

func TestTheBenchConnectsToWhatThePodServes(t *testing.T) {
	bench, _ := pair(t)
	pod := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready") }))
	defer pod.Close()
	client := &http.Client{Transport: &http.Transport{DialContext: bench.Dial, DisableKeepAlives: true}}
	if body, err := get(t, client, pod.URL); err != nil || body != "ready" {
		t.Fatalf("%q, %v", body, err)
	}
	pod.Close()
	if _, err := get(t, client, pod.URL); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("nothing listens there: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := bench.Dial(ended, "tcp", "127.0.0.1:1"); !errors.Is(err, context.Canceled) {
		t.Errorf("for nobody: %v", err)
	}
}
