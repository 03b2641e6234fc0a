package chainsaw

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestEndings: only the assert that has waited long enough is ended, and only in its
// namespace. The next assert of that namespace goes on.
func TestEndings(t *testing.T) {
	var ending Endings
	var said strings.Builder
	forget := ending.tell(&said)
	ending.End(Ending{Test: "rc-001", Namespace: "reconform-rc-001", Resource: "deployments.apps", Waited: 5 * time.Second})
	forget()
	ending.End(Ending{Test: "rc-002", Namespace: "reconform-rc-002", Waited: 5 * time.Second})
	if want := `end {"test":"rc-001","namespace":"reconform-rc-001","resource":"deployments.apps","waited":5000000000}` + "\n"; said.String() != want {
		t.Fatalf("said %q, want %q", said.String(), want)
	}
	order := strings.TrimSuffix(said.String(), "\n")
	const (
		deployment = "/apis/apps/v1/namespaces/reconform-rc-001/deployments/demo"
		list       = "/apis/apps/v1/namespaces/reconform-rc-001/deployments"
		service    = "/api/v1/namespaces/reconform-rc-001/services/demo"
		elsewhere  = "/apis/apps/v1/namespaces/reconform-rc-002/deployments/demo"
		ofBench    = "/apis/reconform.dev/v1alpha1/namespaces/reconform-rc-001/subjects/subject"
	)
	for name, tc := range map[string]struct {
		path   string
		waited time.Duration // when the order comes
		next   bool          // whether another assert reads after it
		list   bool          // whether it reads a list in an expression, without a deadline
		line   string
		ended  bool
	}{
		"it has waited":          {deployment, 6 * time.Second, false, false, order, true},
		"it reads a list":        {list, 6 * time.Second, false, false, order, true},
		"in an expression":       {list, 6 * time.Second, false, true, order, true},
		"something else":         {service, 6 * time.Second, false, false, order, false},
		"it has just begun":      {deployment, time.Second, false, false, order, false},
		"it has ended":           {deployment, 6 * time.Second, true, false, order, false},
		"another namespace":      {elsewhere, 6 * time.Second, false, false, order, false},
		"an object of the bench": {ofBench, 6 * time.Second, false, false, order, false},
		"another word":           {deployment, 6 * time.Second, false, false, enough, false},
		"half an order":          {deployment, 6 * time.Second, false, false, order[:20], false},
	} {
		t.Run(name, func(t *testing.T) {
			var printed strings.Builder
			a := &asserts{parent: &printed}
			through := a.wrap(roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
			}))
			deadline := time.Now().Add(time.Minute)
			read := func(method string) error {
				ctx, cancel := context.WithDeadline(t.Context(), deadline)
				defer cancel()
				if tc.list {
					ctx = t.Context()
				}
				request, err := http.NewRequestWithContext(ctx, method, "https://127.0.0.1"+tc.path, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := through.RoundTrip(request)
				if err == nil {
					_ = response.Body.Close() // it is empty
				}
				return err
			}
			if err := read(http.MethodGet); err != nil {
				t.Fatal(err)
			}
			a.line(tc.line, time.Now().Add(tc.waited))
			if tc.next {
				deadline = deadline.Add(time.Second)
			}
			if err := read(http.MethodGet); errors.Is(err, errEnded) != tc.ended {
				t.Errorf("the next read: %v; ended: want %t", err, tc.ended)
			}
			if err := read(http.MethodPatch); err != nil {
				t.Errorf("a write: %v", err)
			}
			_ = read(http.MethodGet) // it is told once
			if want := endedLine + "rc-001 deployments.apps\n"; tc.ended && printed.String() != want || !tc.ended && printed.Len() > 0 {
				t.Errorf("printed %q", printed.String())
			}
		})
	}
}

func TestResourceOf(t *testing.T) {
	for path, want := range map[string]string{
		"/apis/apps/v1/namespaces/a/deployments":                         "deployments.apps",
		"/apis/apps/v1/namespaces/a/deployments/demo/status":             "deployments.apps",
		"/api/v1/namespaces/a/services/demo":                             "services",
		"/clusters/one/apis/networking.k8s.io/v1/namespaces/a/ingresses": "ingresses.networking.k8s.io",
		"/api/v1/namespaces/a":                                           "",
		"/apis/apps/v1":                                                  "",
		"/version":                                                       "",
	} {
		if got := resourceOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
