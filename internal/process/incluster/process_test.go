package incluster

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestLastWords: what a container writes at its end may come after the status that says that it
// has ended. It is still read, and the panic in it is seen.
func TestLastWords(t *testing.T) {
	for name, tc := range map[string]struct {
		after time.Duration // how long the log takes
		ends  bool          // whether the log ends by itself
		code  int32         // with which the program ends
	}{
		"at once":         {ends: true, code: 2},
		"a moment later":  {after: 300 * time.Millisecond, ends: true, code: 2},
		"it does not end": {after: 100 * time.Millisecond, code: 2},
		"by a signal":     {ends: true, code: 134},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := &corev1.Pod{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject-0", UID: "u", ResourceVersion: "1"},
				Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
					Name: "manager", ContainerID: "c",
					State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: "c", ExitCode: tc.code}},
				}}},
			}
			mux := http.NewServeMux()
			mux.HandleFunc("GET /api/v1/namespaces/ns/pods", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Query().Get("watch") != "" {
					http.Error(w, "no watch", http.StatusInternalServerError)
					return
				}
				_ = json.NewEncoder(w).Encode(corev1.PodList{
					TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Pod{*pod},
				})
			})
			mux.HandleFunc("GET /api/v1/namespaces/ns/pods/subject-0/log", func(w http.ResponseWriter, r *http.Request) {
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(tc.after):
				case <-r.Context().Done():
				}
				_, _ = w.Write([]byte("panic: no map\n\ngoroutine 1 [running]:\n"))
				_ = http.NewResponseController(w).Flush()
				if !tc.ends {
					<-r.Context().Done()
				}
			})
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
			if err != nil {
				t.Fatal(err)
			}
			r := New(&rest.Config{}, client, Spec{Name: "subject-0", Namespace: "ns", Container: "manager", Log: filepath.Join(t.TempDir(), "log")})
			p, err := r.follow(pod)
			if err != nil {
				t.Fatal(err)
			}
			select {
			case <-p.Done():
			case <-time.After(30 * time.Second):
				t.Fatal("it does not end")
			}
			code, _, panicked := p.Exit()
			if said := p.LogTail(3); code != int(tc.code) || !panicked || !slices.Contains(said, "panic: no map") {
				t.Errorf("code %d, panicked %t, its last words: %q", code, panicked, said)
			}
		})
	}
}
