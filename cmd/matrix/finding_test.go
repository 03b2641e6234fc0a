package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// candidateNamed is a mutant that SH-004 must catch because of the image.
func candidateNamed(name string) candidate {
	return candidate{
		Mutant: mutant.Mutant{
			Name: name, Base: "reference", Mistake: "The image is not compared.", SeenIn: "many", CaughtBy: "SH-004",
			Because: regexp.MustCompile("image"),
		},
		requirement: catalogue.Requirement{ID: "SH-004", Name: "sh-004", Must: "A foreign image is undone."},
		file:        "bin/_mutants/" + name + "/fixtures/profiles/reference.yaml",
	}
}

func result(id string, v v1alpha1.ResultVerdict, reason string) v1alpha1.Result {
	return v1alpha1.Result{ID: id, Verdict: v, Reason: reason}
}

// TestJudge: a mutant is killed only if the requirement that must catch it failed, for the
// reason that its header names.
func TestJudge(t *testing.T) {
	for name, tc := range map[string]struct {
		results []v1alpha1.Result
		want    verdict
		reason  string
		others  []string
	}{
		"caught":          {[]v1alpha1.Result{result("SH-004", v1alpha1.Failed, "image: a")}, killed, "image: a", nil},
		"caught by more":  {[]v1alpha1.Result{result("RC-001", v1alpha1.Failed, "no"), result("SH-004", v1alpha1.Failed, "image: a"), result("RC-005", v1alpha1.Passed, "")}, killed, "image: a", []string{"RC-001"}},
		"caught at first": {[]v1alpha1.Result{result("SH-004", v1alpha1.Flaky, "image: a")}, killed, "image: a", nil},
		"passed":          {[]v1alpha1.Result{result("SH-004", v1alpha1.Passed, "")}, survived, "", nil},
		"timed out":       {[]v1alpha1.Result{result("SH-004", v1alpha1.Failed, "deadline exceeded")}, otherReason, "deadline exceeded", nil},
		"no conclusion":   {[]v1alpha1.Result{result("SH-004", v1alpha1.ResultInconclusive, "image: never fired")}, inconclusive, "image: never fired", nil},
		"not claimed":     {[]v1alpha1.Result{result("SH-004", v1alpha1.Skipped, "image is not claimed")}, notApplicable, "image is not claimed", nil},
		"another only":    {[]v1alpha1.Result{result("RC-001", v1alpha1.Failed, "image")}, inconclusive, "it was not run", []string{"RC-001"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(candidateNamed("m"), tc.results, "dir")
			if got.verdict != tc.want || got.reason != tc.reason || !cmp.Equal(got.others, tc.others) {
				t.Errorf("judge = %s, %q, %v, want %s, %q, %v", got.verdict, got.reason, got.others, tc.want, tc.reason, tc.others)
			}
		})
	}
}

// TestBrief: a reason is without what differs from run to run, and not too long.
func TestBrief(t *testing.T) {
	for reason, want := range map[string]string{
		"": "",
		`at "It is back" (assert apps/v1/Deployment @ reconform-a-mutant-sh-004/demo): [spec.replicas: Invalid value: 1: Expected value: 3]`: `at "It is back": [spec.replicas: Invalid value: 1: Expected value: 3]`,
		"HotLoop: GET /api/v1/namespaces/reconform-m-ss-001/pods 241 times in 9.731s (#1204, #1210 and #1311)":                               "HotLoop: GET /api/v1/namespaces/NAMESPACE/pods N times in some time",
		"Crashed: subject-0 ended by itself: exited with status 2 (#7)\n":                                                                    "Crashed: subject-0 ended by itself: exited with status 2",
		"owner 6f9619ff-8b86-d011-b42d-00cf4fc964ff at 2026-11-21T07:47:55.123Z: answered 409 after 1m2.5s":                                  "owner UID at TIME: answered 409 after some time",
		"a panic; its last words: /home/me/go/pkg/mod/k8s.io/apimachinery@v0.1.2/wait.go:6 +0x7":                                             "a panic; its last words: k8s.io/apimachinery@v0.1.2/wait.go:6 +0x7",
		strings.Repeat("many words ", 30): strings.Repeat("many words ", 17) + "many words…",
	} {
		if diff := cmp.Diff(want, brief(reason)); diff != "" {
			t.Errorf("brief (-want +got):\n%s", diff)
		}
	}
}
