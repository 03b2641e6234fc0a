package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestEndOfOutput: the end of the output is enough to see what was done, what was
// found, and which mistake that usually is.
func TestEndOfOutput(t *testing.T) {
	failed := func(id, step, reason string) v1alpha1.Result {
		return v1alpha1.Result{ID: id, Verdict: v1alpha1.Failed, Reason: reason, Evidence: &v1alpha1.Evidence{Step: step, Catches: "a mistake"}}
	}
	for name, tc := range map[string]struct {
		result v1alpha1.Result
		want   string
	}{
		"a step that judges": {
			failed("SH-004", "Then the image of the spec comes back: assert",
				`at "Then the image of the spec comes back" (assert apps/v1/Deployment @ ns/demo): actual resource not found`),
			"  SH-004  When the Deployment gets a foreign image\n" +
				"          Then the image of the spec comes back: expected Deployment demo; found none\n" +
				"          the usual mistake: a mistake\n",
		},
		"a step before": {
			failed("SH-004", "Given the controller: create", "the controller does not start"),
			"  SH-004  the controller does not start\n          the usual mistake: a mistake\n",
		},
		"a requirement of other scenarios": {
			failed("XX-001", "Then it holds: assert", "it does not"),
			"  XX-001  it does not\n          the usual mistake: a mistake\n",
		},
		"with a symptom": {
			v1alpha1.Result{ID: "XX-001", Verdict: v1alpha1.Failed, Reason: "it does not", Evidence: &v1alpha1.Evidence{
				Symptoms: []v1alpha1.Symptom{{Seen: "Deployment demo was never made"}, {Seen: "another"}},
			}},
			"  XX-001  it does not\n          seen: Deployment demo was never made\n",
		},
		"without a symptom": {
			v1alpha1.Result{ID: "XX-001", Verdict: v1alpha1.Failed, Reason: "it does not", Evidence: &v1alpha1.Evidence{Recent: []string{
				"#7 update deployments demo by subject-0, 9s before: 200, effective, changed spec.replicas",
				"#8 update deployments demo by subject-0, 8s before: 409, refused, Conflict",
				"#9 create events demo.1 by subject-0, 8s before: 201, effective, reason Updated",
			}}},
			"  XX-001  it does not\n" +
				"          its last write before that: #7 update deployments demo by subject-0, 9s before: 200,\n" +
				"          effective, changed spec.replicas\n",
		},
		"no evidence": {v1alpha1.Result{ID: "SH-004", Verdict: v1alpha1.Failed, Reason: "why"}, "  SH-004  why\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			printMistakes(&out, &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{tc.result}})
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("end of the output (-want +got):\n%s", diff)
			}
		})
	}
}
