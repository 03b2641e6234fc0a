package play

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/record/history"
)

// TestGrowing: pauses that grow are told from those that do not, though a busy machine
// adds to some, and news of the status cuts the first short.
func TestGrowing(t *testing.T) {
	const ms = time.Millisecond
	for name, tc := range map[string]struct {
		pauses []time.Duration
		grow   bool
	}{
		"doubled":                            {[]time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms}, true},
		"doubled, cut short":                 {[]time.Duration{10 * ms, 90 * ms, 400 * ms, 800 * ms, 1600 * ms}, true},
		"doubled from 5 ms":                  {[]time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1280 * ms}, true},
		"longer by 100 ms each":              {[]time.Duration{100 * ms, 200 * ms, 300 * ms, 400 * ms, 500 * ms, 600 * ms}, true},
		"doubled, with jitter":               {[]time.Duration{150 * ms, 210 * ms, 790 * ms, 820 * ms, 1700 * ms}, true},
		"constant, cut short":                {[]time.Duration{10 * ms, 990 * ms, 1000 * ms, 1010 * ms, 1000 * ms}, false},
		"constant, on a busy one":            {[]time.Duration{100 * ms, 110 * ms, 100 * ms, 190 * ms, 100 * ms, 100 * ms, 190 * ms, 100 * ms, 190 * ms}, false},
		"constant, the last hardly":          {[]time.Duration{1000 * ms, 1000 * ms, 1000 * ms, 1000 * ms, 1090 * ms}, false},
		"constant, the last two longer":      {[]time.Duration{100 * ms, 110 * ms, 100 * ms, 100 * ms, 100 * ms, 100 * ms, 100 * ms, 160 * ms, 190 * ms}, false},
		"at once, the last by chance longer": {append(slices.Repeat([]time.Duration{10 * ms}, 98), 50*ms, 60*ms), false},
		"at once, each time":                 {[]time.Duration{3 * ms, 4 * ms, 3 * ms, 5 * ms, 3 * ms, 4 * ms, 3 * ms, 4 * ms}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := growing(tc.pauses); got != tc.grow {
				first, last := compared(tc.pauses)
				t.Errorf("first %s, last %s: they grow is %t", first, last, got)
			}
		})
	}
}

// TestPausesBetween: the time in which a request is answered is not a pause.
func TestPausesBetween(t *testing.T) {
	began := time.Unix(0, 0)
	request := func(verb string, at, took int) history.Request {
		const second = time.Second
		return history.Request{Verb: verb, Time: began.Add(time.Duration(at) * second), Duration: metav1.Duration{Duration: time.Duration(took) * second}}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		until    int
		want     []time.Duration
	}{
		"none":               {nil, 0, nil},
		"one":                {[]history.Request{request("create", 1, 0)}, 0, nil},
		"from the answer on": {[]history.Request{request("create", 1, 2), request("create", 7, 0)}, 0, []time.Duration{4 * time.Second}},
		"without another request": {
			[]history.Request{request("create", 1, 1), request("patch", 3, 2), request("create", 7, 0)}, 0, []time.Duration{3 * time.Second},
		},
		"side by side": {
			[]history.Request{request("create", 1, 1), request("patch", 3, 4), request("get", 4, 1), request("create", 8, 0)},
			0,
			[]time.Duration{2 * time.Second},
		},
		"before the first": {[]history.Request{request("patch", 0, 1), request("create", 5, 0), request("create", 6, 0)}, 0, []time.Duration{time.Second}},
		"until now": {
			[]history.Request{request("create", 1, 0), request("create", 2, 1), request("patch", 4, 1)},
			9,
			[]time.Duration{time.Second, 5 * time.Second},
		},
		"no try until now": {[]history.Request{request("patch", 4, 1)}, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var until time.Time
			if tc.until > 0 {
				until = began.Add(time.Duration(tc.until) * time.Second)
			}
			isTry := func(r history.Request) bool { return r.Verb == "create" }
			if diff := cmp.Diff(tc.want, pausesBetween(tc.requests, isTry, until)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInWords(t *testing.T) {
	var pauses []time.Duration
	for n := range 12 {
		pauses = append(pauses, time.Duration(n+1)*100*time.Millisecond)
	}
	for many, want := range map[int]string{3: "100ms, 200ms, 300ms", 12: "100ms, 200ms, 300ms, 400ms, …, 900ms, 1s, 1.1s, 1.2s"} {
		if got := inWords(pauses[:many]); got != want {
			t.Errorf("%d pauses are %q, want %q", many, got, want)
		}
	}
}

// TestAsked: what nobody asks for is left out, unless something later relies on it.
func TestAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		play  string
		asked map[string]bool
		want  int
	}{
		"all":                {"rest", map[string]bool{"rest/looks": true, "rest/restarts": true, "rest/reads": true}, 3},
		"the last":           {"rest", map[string]bool{"rest/reads": true}, 2},
		"the first":          {"rest", map[string]bool{"rest/looks": true}, 1},
		"what relies on all": {"queue", map[string]bool{"queue/tombstone": true}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plays()[tc.play].asked(func(id string) bool { return tc.asked[id] }); len(got) != tc.want {
				t.Errorf("%d rules, want %d", len(got), tc.want)
			}
		})
	}
}

// TestSilence: the time in which a request is answered is no silence, and what is before and
// after the requests is.
func TestSilence(t *testing.T) {
	began := time.Unix(0, 0)
	at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
	request := func(from, took int) history.Request {
		return history.Request{Time: at(from), Duration: metav1.Duration{Duration: time.Duration(took) * time.Second}}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     time.Duration
	}{
		"none":                      {nil, 10 * time.Second},
		"one":                       {[]history.Request{request(2, 3)}, 7 * time.Second},
		"one in the other":          {[]history.Request{request(1, 6), request(2, 1)}, 4 * time.Second},
		"one after the other":       {[]history.Request{request(0, 4), request(4, 4)}, 2 * time.Second},
		"answered after the end":    {[]history.Request{request(1, 90)}, time.Second},
		"answered, and then silent": {[]history.Request{request(0, 1), request(1, 1)}, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			if got := silence(tc.requests, began, at(10)); got != tc.want {
				t.Errorf("silence of %s, want %s", got, tc.want)
			}
		})
	}
}
