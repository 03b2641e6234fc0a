package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
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
