package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestText(t *testing.T) {
	for name, tc := range map[string]struct {
		result v1alpha1.Result
		want   string
	}{
		"the reason alone": {v1alpha1.Result{Reason: "no Pod was ready\nin 60s\n"}, "reason: no Pod was ready\n  in 60s"},
		"with evidence": {
			v1alpha1.Result{Reason: "no", Evidence: &v1alpha1.Evidence{
				Difference: "-a\n+b\n", Requests: []string{"#1 create", "#2 create"}, Catches: "drift", Hint: "look there",
				Log: []string{"one", "two"}, Reproduce: "reconform run --run '^SH-004$'",
			}},
			`reason: no
expected and observed:
  -a
  +b
the requests that prove it:
  #1 create
  #2 create
this requirement exists to catch:
  drift
hint:
  look there
last lines of the subject:
  one
  two
reproduce with:
  reconform run --run '^SH-004$'`,
		},
		"many things were found": {
			v1alpha1.Result{Reason: "at x: 7 of 9 not so: a; b", Evidence: &v1alpha1.Evidence{
				Difference: "7 of 9 not so: a; b", Details: []string{"a", "b", "c", "d", "e", "f", "g"},
				Symptoms: []v1alpha1.Symptom{{Seen: "one"}, {Seen: "two"}, {Seen: "three"}, {Seen: "four"}},
			}},
			`reason: at x: 7 of 9 not so: a; b
what was seen:
  one
  two
  three
  and 1 more
one by one:
  a
  b
  c
  d
  e
  and 2 more, in report.html`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Text(&tc.result)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}
