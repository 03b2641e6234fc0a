package chainsaw

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// silent answers no request but the last of some.
type silent struct {
	asked, silentFor int
}

func (s *silent) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked++
	if s.asked > s.silentFor {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("answer"))}, nil
	}
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func TestImpatient(t *testing.T) {
	for name, tc := range map[string]struct {
		method    string
		silentFor int
		limit     time.Duration // of the request itself; 0 for none
		asked     int
		took      time.Duration
		err       bool
	}{
		"answered at once":          {http.MethodGet, 0, 0, 1, 0, false},
		"answered when asked again": {http.MethodGet, 1, 0, 2, time.Minute, false},
		"never answered":            {http.MethodGet, 9, 0, mostReads, mostReads * time.Minute, true},
		"given up by who asks":      {http.MethodGet, 9, time.Second, 1, time.Second, true},
		"a write is not repeated":   {http.MethodPatch, 9, time.Hour, 1, time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tc.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.limit)
					defer cancel()
				}
				req, err := http.NewRequestWithContext(ctx, tc.method, "https://127.0.0.1/apis", nil)
				if err != nil {
					t.Fatal(err)
				}
				server, began := &silent{silentFor: tc.silentFor}, time.Now()
				response, err := impatient(time.Minute)(server).RoundTrip(req)
				if (err != nil) != tc.err || err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("got error %v", err)
				}
				if took := time.Since(began); server.asked != tc.asked || took != tc.took {
					t.Errorf("asked %d times in %s, want %d in %s", server.asked, took, tc.asked, tc.took)
				}
				if err == nil {
					if body, err := io.ReadAll(response.Body); err != nil || string(body) != "answer" {
						t.Errorf("got %q, %v", body, err)
					}
				}
			})
		})
	}
}
