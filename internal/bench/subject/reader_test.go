package subject

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// clusterWithTokens returns a cluster that issues a token and grants every right.
func clusterWithTokens() *fake.Clientset {
	cluster := fake.NewClientset()
	cluster.PrependReactor("create", "serviceaccounts", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "token" {
			return false, nil, nil
		}
		return true, &authenticationv1.TokenRequest{Status: authenticationv1.TokenRequestStatus{Token: "secret"}}, nil
	})
	cluster.PrependReactor("create", "subjectaccessreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &authorizationv1.SubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}, nil
	})
	return cluster
}

// TestPagesForThoseWhoMayReadThem asks for three pages: one is open, one needs a token,
// and one refuses everybody.
func TestPagesForThoseWhoMayReadThem(t *testing.T) {
	var shown []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		authorization := request.Header.Get("Authorization")
		shown = append(shown, request.URL.Path+" "+authorization)
		switch {
		case request.URL.Path == "/closed":
			w.WriteHeader(http.StatusForbidden)
		case request.URL.Path == "/metrics" && authorization != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	cluster := clusterWithTokens()
	home := func(string) *profile.Profile { return &profile.Profile{} }
	asks := &reader{
		env:     &Environment{Clientset: cluster, Profile: home},
		subject: &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}},
	}
	client := server.Client()
	client.Timeout = time.Minute
	asked := pages{client: client, reader: asks}
	var codes []int
	for _, path := range []string{"/healthz", "/metrics", "/metrics", "/closed"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := asked.do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		codes = append(codes, response.StatusCode)
	}
	if diff := cmp.Diff([]int{200, 200, 200, 403}, codes); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"/healthz ", "/metrics ", "/metrics Bearer secret", "/metrics Bearer secret", "/closed ", "/closed Bearer secret",
	}, shown); diff != "" {
		t.Errorf("what the pages were shown (-want +got):\n%s", diff)
	}
	role, err := cluster.RbacV1().ClusterRoles().Get(t.Context(), asks.role(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]rbacv1.PolicyRule{{NonResourceURLs: []string{"/closed", "/metrics"}, Verbs: []string{"get"}}}, role.Rules); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
	if err := asks.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := cluster.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("%d roles are left, error %v", len(left.Items), err)
	}
}

// TestNothingStaysOfARightThatNeverCame: the bench asks for two pages on a cluster
// whose authorizer never learns of the right to get them. It removes that right again.
func TestNothingStaysOfARightThatNeverCame(t *testing.T) {
	cluster := fake.NewClientset()
	asks := &reader{
		env:     &Environment{Clientset: cluster, Profile: func(string) *profile.Profile { return &profile.Profile{} }},
		subject: &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "subject"}},
	}
	for _, path := range []string{"/metrics", "/healthz"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := asks.allow(ctx, path); err == nil {
			t.Errorf("it has the right to get %s", path)
		}
		cancel()
		role, err := cluster.RbacV1().ClusterRoles().Get(t.Context(), asks.role(), metav1.GetOptions{})
		if err != nil || role.Rules[0].NonResourceURLs[0] != path {
			t.Errorf("the role is %v, error %v, and must be for %s", role, err, path)
		}
	}
	if err := asks.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := cluster.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("%d roles are left, error %v", len(left.Items), err)
	}
}
