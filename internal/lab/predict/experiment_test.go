package predict

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestCarriedOut: an experiment with a mistake in it may break invariants. It counts if
// all its steps were done.
func TestCarriedOut(t *testing.T) {
	for name, tc := range map[string]struct {
		result v1alpha1.Result
		want   string
	}{
		"passed":       {v1alpha1.Result{Verdict: v1alpha1.Passed}, ""},
		"a rule broke": {v1alpha1.Result{Verdict: v1alpha1.Failed, Evidence: &v1alpha1.Evidence{Failure: "HotLoop"}}, ""},
		"a step failed": {
			v1alpha1.Result{Verdict: v1alpha1.Failed, Reason: "not there", Evidence: &v1alpha1.Evidence{Step: "Then it is back: assert"}},
			`at "Then it is back: assert": not there`,
		},
		"unsettled": {v1alpha1.Result{Verdict: v1alpha1.ResultInconclusive, Reason: "the bench broke"}, "the bench broke"},
		"skipped":   {v1alpha1.Result{Verdict: v1alpha1.Skipped, Reason: "cannot be mapped"}, "cannot be mapped"},
	} {
		t.Run(name, func(t *testing.T) {
			err := carriedOut(tc.result)
			var not *NotCarriedOut
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.As(err, &not) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestTree: an experiment finds the templates of the scenarios in the binary as it does
// on disk.
func TestTree(t *testing.T) {
	files := tree{"labs": fstest.MapFS{"predict/a/b.yaml": {Data: []byte("b")}}, "scenarios": fstest.MapFS{"templates/c.yaml": {Data: []byte("c")}}}
	for name, want := range map[string]string{"labs/predict/a/b.yaml": "b", "scenarios/templates/c.yaml": "c", "templates/c.yaml": "", "labs/c.yaml": ""} {
		got, err := fs.ReadFile(files, name)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}
