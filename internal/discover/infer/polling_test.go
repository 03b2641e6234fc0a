package infer

import (
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestPeriod(t *testing.T) {
	began := time.Now()
	deployments := v1alpha1.Workload{Group: "apps", Plural: "deployments"}
	reads := func(verb, resource string, seconds ...float64) (requests []history.Request) {
		for _, s := range seconds {
			q := history.Request{Verb: verb, Group: "apps", Resource: resource}
			q.Time = began.Add(time.Duration(s * float64(time.Second)))
			requests = append(requests, q)
		}
		return requests
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     time.Duration
	}{
		"every five seconds":            {reads(history.VerbList, "deployments", 1, 6.01, 11.2), 5 * time.Second},
		"one by one, two in a pass":     {reads(history.VerbGet, "deployments", 1, 1.1, 3, 3.1, 5, 5.1), 2 * time.Second},
		"a pass that takes seconds":     {reads(history.VerbGet, "deployments", 1, 1.8, 2.9, 31, 32.2, 33, 61, 61.9), 30 * time.Second},
		"twice shows no period":         {reads(history.VerbList, "deployments", 1, 6), 0},
		"irregular":                     {reads(history.VerbList, "deployments", 1, 2, 8), 0},
		"slower and slower":             {reads(history.VerbList, "deployments", 1, 2, 4, 8), 0},
		"of another resource":           {reads(history.VerbList, "replicasets", 1, 6, 11), 0},
		"watches that are opened again": {reads(history.VerbWatch, "deployments", 1, 6, 11), 0},
		"nothing":                       {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Period(tc.requests, deployments); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestPolls(t *testing.T) {
	request := func(verb string, code int) history.Request {
		return history.Request{Verb: verb, Group: "apps", Resource: "deployments", Code: code}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     bool
	}{
		"lists":                      {[]history.Request{request(history.VerbList, 200)}, true},
		"reads one by one":           {[]history.Request{request(history.VerbGet, 404)}, true},
		"lists and watches":          {[]history.Request{request(history.VerbList, 200), request(history.VerbWatch, 200)}, false},
		"its watch is not allowed":   {[]history.Request{request(history.VerbList, 200), request(history.VerbWatch, 403)}, true},
		"never looks at what it has": {[]history.Request{request(history.VerbCreate, 201)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Account: history.Account{Requests: tc.requests}}
			if got := r.Polls(); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// TestResyncFlag: a period that the command names need not be asked for.
func TestResyncFlag(t *testing.T) {
	for _, tc := range []struct {
		command []string
		want    time.Duration
	}{
		{[]string{"manager", "--sync-period=10m"}, 10 * time.Minute},
		{[]string{"manager", "-v", "--resync-period", "30s"}, 30 * time.Second},
		{[]string{"manager", "-resync=5m0s"}, 5 * time.Minute},
		{[]string{"manager", "--reconcile_period=1h", "x"}, time.Hour},
		{[]string{"manager", "--cacheResyncPeriod=1m"}, time.Minute},
		{[]string{"manager", "--resync-period=0"}, 0},
		{[]string{"manager", "--sync-period=often"}, 0},
		{[]string{"manager", "--sync-period"}, 0},
		{[]string{"manager", "--leader-election-retry-period=2s"}, 0},
		{[]string{"resync=5m"}, 0},
		{nil, 0},
	} {
		if flag, got := resyncFlag(tc.command); got != tc.want {
			t.Errorf("%q: %q, %s, want %s", tc.command, flag, got, tc.want)
		}
	}
}

// TestLookIsAResync: a flag says more than what was seen once, and a slow answer is no look.
func TestLookIsAResync(t *testing.T) {
	for name, tc := range map[string]struct {
		looked  time.Duration
		command []string
		want    time.Duration
	}{
		"it looked again by itself": {9800 * time.Millisecond, nil, 10 * time.Second},
		"and has a flag":            {9800 * time.Millisecond, []string{"manager", "--sync-period=10m"}, 10 * time.Minute},
		"it was slow":               {3 * time.Second, nil, 0},
		"nothing was seen":          {0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: &Record{Looked: tc.looked, Command: tc.command}}
			f.findPolling()
			if got := f.Spec.Claims.Times.Resync.Duration; got != tc.want {
				t.Errorf("resync: %s, want %s", got, tc.want)
			}
			if asked := len(f.Asked["claims.times.resync"]) > 0; asked != (tc.want == 0) {
				t.Errorf("it is asked: %v", asked)
			}
		})
	}
}
