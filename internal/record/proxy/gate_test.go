package proxy_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// onBoth runs a test over HTTP/1.1 and HTTP/2.
func onBoth(t *testing.T, test func(t *testing.T, server *fakeServer, r *replica)) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFakeServer(t)
			r := newReplica(t, server.config(), proxy.Scope{Namespaces: []string{"a"}})
			r.client.Transport.(*http.Transport).ForceAttemptHTTP2 = http2
			test(t, server, r)
		})
	}
}

const onePod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u","resourceVersion":"7"}}`

func TestCutBreaksOpenRequests(t *testing.T) {
	onBoth(t, func(t *testing.T, server *fakeServer, r *replica) {
		arrived, release := make(chan struct{}), make(chan struct{})
		server.set(func() {
			server.answer = func(w http.ResponseWriter, in *http.Request) {
				if in.Method == http.MethodPost {
					close(arrived)
					<-release
					reply(w, 201, onePod)
					return
				}
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
				<-in.Context().Done()
			}
		})
		stream, err := r.open(t, "GET", "/api/v1/namespaces/a/pods?watch=true", "")
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		created := make(chan error, 1)
		go func() {
			response, err := r.open(t, "POST", "/api/v1/namespaces/a/pods", `{"metadata":{"name":"p"}}`)
			if err == nil {
				err = response.Body.Close()
			}
			created <- err
		}()
		<-arrived

		cut := make(chan struct{})
		go func() {
			defer close(cut)
			r.Cut("Partition")
		}()
		if err := <-created; err == nil {
			t.Error("the replica gets the answer to a write that was cut off")
		}
		if _, err := stream.Body.Read(make([]byte, 1)); err == nil {
			t.Error("the watch goes on")
		}
		select {
		case <-cut:
			t.Error("the cut does not wait for the write that is on its way")
		default:
		}
		close(release)
		<-cut
		r.eventually(t, "all is recorded", func() bool {
			all := r.recorder.Requests(history.Query{Scenario: "a"})
			return len(all) == 2 && all[0].Finished && all[1].Finished
		})
		all := r.recorder.Requests(history.Query{Scenario: "a"})
		if watch := all[0]; watch.Fault != "Partition" || watch.Code != 200 {
			t.Errorf("the watch: %+v", watch)
		}
		if write := all[1]; write.Code != 201 || write.Effect != history.EffectEffective || write.ResourceVersion != "7" {
			t.Errorf("the write: %+v", write)
		}
	})
}

func TestShutGateLetsNothingThrough(t *testing.T) {
	onBoth(t, func(t *testing.T, server *fakeServer, r *replica) {
		if response, _ := r.do(t, "GET", "/api/v1/namespaces/a/pods", ""); response.StatusCode != 200 {
			t.Fatal(response.Status)
		}
		server.last()
		r.Cut("Partition")
		r.Cut("again") // nothing new
		for range 2 {
			if response, err := r.open(t, "GET", "/api/v1/namespaces/a/pods", ""); err == nil {
				t.Errorf("got %s", response.Status)
			} else if !strings.Contains(err.Error(), "reset") && !strings.Contains(err.Error(), "EOF") {
				t.Errorf("not reset: %v", err)
			}
		}
		if seen := server.last(); seen != nil {
			t.Errorf("the server saw %s", seen.URL)
		}
		account := r.recorder.Account("a")
		if unordered := account.ServerErrors(); len(unordered) > 0 {
			t.Errorf("server errors: %+v", unordered)
		}
		r.Mend()
		r.Mend()
		if response, _ := r.do(t, "GET", "/api/v1/namespaces/a/pods", ""); response.StatusCode != 200 {
			t.Error(response.Status)
		}
	})
}

func TestRequestHeldAtACutIsNeverForwarded(t *testing.T) {
	onBoth(t, func(t *testing.T, server *fakeServer, r *replica) {
		// The proxy reads the object before it forwards the write, and that takes its
		// time.
		reading, release := make(chan struct{}), make(chan struct{})
		server.set(func() {
			server.looked = func(path string) {
				if strings.HasSuffix(path, "/pods/p") {
					close(reading)
					<-release
				}
			}
		})
		written := make(chan error, 1)
		go func() {
			response, err := r.open(t, "PUT", "/api/v1/namespaces/a/pods/p", onePod)
			if err == nil {
				err = errors.Join(response.Body.Close(), errors.New(response.Status))
			}
			written <- err
		}()
		<-reading
		r.Cut("Crash")
		r.Mend()
		close(release)
		if err := <-written; err == nil {
			t.Error("the write is answered")
		}
		r.eventually(t, "the write is recorded", func() bool { return r.last(t).Finished })
		if seen := server.last(); seen != nil {
			t.Errorf("the server saw %s %s", seen.Method, seen.URL)
		}
		if write := r.last(t); write.Fault != "Crash" || write.Effect != history.EffectNone || write.Code != 0 {
			t.Errorf("the write: %+v", write)
		}
	})
}
