package subject

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
)

// TestUnready: of a replica that is not ready it is said what was asked, what it answered,
// and what in the profile may be wrong.
func TestUnready(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "caches are not synced\nand more", http.StatusServiceUnavailable)
	})
	for path, code := range map[string]int{"/empty": http.StatusNoContent, "/accepted": http.StatusAccepted, "/unchanged": http.StatusNotModified} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	server, secure := httptest.NewServer(mux), httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(secure.Close)
	closed := httptest.NewServer(mux)
	closed.Close()
	port := func(s *httptest.Server) int { return s.Listener.Addr().(*net.TCPAddr).Port }
	launcher := sandbox.NewPlainLauncher("a test")
	for name, tc := range map[string]struct {
		server *httptest.Server
		path   string
		want   string // in the words; "" if it is ready
		wrong  bool
	}{
		"ready":        {server, "/readyz", "", false},
		"no content":   {server, "/empty", "", false},
		"accepted":     {server, "/accepted", "", false},
		"unchanged":    {server, "/unchanged", "", false},
		"another path": {server, "/healthz", "/healthz (launch.ready.httpGet, its port \"probe\") was answered with 404 Not Found: the controller does not serve this path", true},
		"not yet":      {server, "/busy", "was answered with 503 Service Unavailable: caches are not synced", false},
		"https":        {secure, "/readyz", "was answered with 400 Bad Request: it serves HTTPS there; give launch.ready.httpGet.scheme: https", true},
		"another port": {closed, "/readyz", "nothing listens there", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &profile.Profile{}
			p.Spec.Launch.Ready.HTTPGet = &v1alpha1.HTTPGet{Port: "probe", Path: tc.path}
			r := &replica{
				name: "subject-0", subject: &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}},
				env:   &Environment{Profile: func(string) *profile.Profile { return p }, Launcher: launcher},
				ports: map[string]int{"probe": port(tc.server)},
			}
			got := r.ask(t.Context(), &http.Client{Timeout: time.Minute}, 0)
			if got.ready != (tc.want == "") || !strings.Contains(got.words, tc.want) || strings.Contains(got.words, "and more") || got.misplaced != tc.wrong {
				t.Errorf("%+v, want %q", got, tc.want)
			}
		})
	}
	r := &replica{}
	if got := r.unanswered("GET x", fmt.Errorf("asking: %w", errors.New("cut"))); got.words != "GET x: asking: cut" {
		t.Errorf("%+v", got)
	}
}
