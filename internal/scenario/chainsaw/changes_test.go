package chainsaw

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An assert reads an object of the bench again when it has changed, or after two seconds.
// Another assert, and a read of anything else, is never held back.
func TestChanges(t *testing.T) {
	const path = "/apis/reconform.dev/v1alpha1/namespaces/a/observations/seen"
	observed := func(version string) metav1.Object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "seen", ResourceVersion: version}}
	}
	for name, tc := range map[string]struct {
		path  string
		again bool             // whether the second read is of another assert
		event func(c *changes) // one second after the first read
		want  time.Duration    // how long the second read waits
	}{
		"nothing changes":     {path: path, want: unchanged},
		"it changes":          {path: path, event: func(c *changes) { c.tell("observations", observed("8")) }, want: time.Second},
		"behind another path": {path: "/k8s/c-1" + path, event: func(c *changes) { c.tell("observations", observed("8")) }, want: time.Second},
		"the watch is behind": {path: path, event: func(c *changes) { c.tell("observations", observed("7")) }, want: unchanged},
		"it is gone":          {path: path, event: func(c *changes) { c.forget("observations", observed("7")) }, want: time.Second},
		"another changes":     {path: path, event: func(c *changes) { c.tell("traffics", observed("8")) }, want: unchanged},
		"another assert":      {path: path, again: true},
		"a Deployment":        {path: "/apis/apps/v1/namespaces/a/deployments/seen"},
		"all of a kind":       {path: "/apis/reconform.dev/v1alpha1/namespaces/a/observations"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &changes{
					follow: func(string) {}, followed: map[string]bool{}, objects: map[string]*watched{}, reads: map[pollOf]chan struct{}{},
				}
				c.tell("observations", observed("7"))
				read := func(ctx context.Context) time.Duration {
					t.Helper()
					began := time.Now()
					response, err := c.wrap(accepting{}).RoundTrip(httptest.NewRequestWithContext(ctx, http.MethodGet, "https://api"+tc.path, nil))
					if err != nil {
						t.Fatal(err)
					}
					_ = response.Body.Close()
					return time.Since(began)
				}
				assert, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if took := read(assert); took != 0 {
					t.Errorf("the first read waited %s", took)
				}
				if tc.event != nil {
					time.AfterFunc(time.Second, func() { tc.event(c) })
				}
				if tc.again {
					var done context.CancelFunc
					assert, done = context.WithTimeout(t.Context(), 2*time.Minute)
					defer done()
				}
				if took := read(assert); took != tc.want {
					t.Errorf("the second read waited %s, want %s", took, tc.want)
				}
				time.Sleep(time.Second) // let the event happen
			})
		})
	}
}

// accepting answers each request with 200.
type accepting struct{}

func (accepting) RoundTrip(*http.Request) (*http.Response, error) {
	return httptest.NewRecorder().Result(), nil
}
