package chainsaw

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sent is a transport that only keeps what it was to send.
type sent struct{ request *http.Request }

func (s *sent) RoundTrip(req *http.Request) (*http.Response, error) {
	s.request = req
	return &http.Response{}, nil
}

// TestListsLeaveBystandersOut: a test that counts children does not see the objects
// that the bench has put beside them.
func TestListsLeaveBystandersOut(t *testing.T) {
	const none = "!reconform.dev/bystander"
	for path, want := range map[string]string{
		"/apis/apps/v1/namespaces/a/deployments":                     none,
		"/apis/apps/v1/namespaces/a/deployments?labelSelector=x%3D1": "x=1," + none,
		"/api/v1/namespaces/a/services":                              none,
		"/api/v1/services":                                           none,
		"/apis/apps/v1/deployments":                                  none,
		"/below/api/v1/namespaces/a/services":                        none,
		"/apis/apps/v1/namespaces/a/deployments/demo":                "",
		"/apis/apps/v1/namespaces/a/deployments/demo/status":         "",
		"/api/v1/namespaces/a":                                       "",
		"/api/v1":                                                    "",
		"/apis/apps/v1":                                              "",
		"/apis":                                                      "",
		"/version":                                                   "",
	} {
		t.Run(path, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			next := &sent{}
			if _, err := unseen(next).RoundTrip(request); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, next.request.URL.Query().Get("labelSelector")); diff != "" {
				t.Errorf("selector (-want +got):\n%s", diff)
			}
		})
	}
}
