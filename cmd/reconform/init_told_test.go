package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/scenario/render"
)

// TestFindingsInWords: what looks like a mistake comes first, and then what is important.
func TestFindingsInWords(t *testing.T) {
	found := &infer.Findings{
		Doubts: []infer.Doubt{{Path: "contract.spec.image", Text: "spec.image was changed, and the image of Deployment web did not follow. A run will say so"}, {Path: "claims.times.retry", Text: "it did not try again: does it drop the error?"}},
		Asked: map[string][]infer.Question{
			"claims.features":       {{Text: "sigint is not claimed: SIGINT did not end it"}},
			"claims.times.retry":    {{Text: "longest was not seen: the time between two attempts at what keeps failing. It is the maximum of the rate limiter"}},
			"contract.status.phase": {{Text: "nothing in the status was seen to be this: phase. Is something?"}},
		},
		Notes: map[string]infer.Note{
			"claims.times.shutdownGrace": {Basis: infer.Guessed, Text: "what Kubernetes gives a Pod"},
			"claims.times.retry":         {Basis: infer.Guessed, Text: "no second attempt was seen"},
			"claims.cleanup":             {Basis: infer.Seen, Text: "it deleted none"},
		},
	}
	const constant, text = "it changes image of demo, which is always shop:v1 in this implementation", "it computes with replicas, which are written as a text in this implementation"
	expected := outlook{judged: 120, nodes: 5, unmapped: map[string]string{
		"RC-004": constant, "RC-016": constant, "LT-004": constant, "ST-002": constant, "ST-010": constant, "OB-009": constant, "VA-001": constant,
		"SC-001": text, "SC-002": text, "IS-008": "its rule computes with image", "ND-008": "it changes image of other",
		"LF-001": render.NeedsContract,
	}}
	found.Spec.Launch.Serial, found.Unreached = true, "web-0.web.look.svc:2379"
	const want = `wrote mine.yaml: 0 features seen or read

A MISTAKE of the controller? The profile is written so that the requirements judge it:
  ! contract.spec.image: spec.image was changed, and the image of Deployment web did not follow. A
    run will say so
  ! claims.times.retry: it did not try again: does it drop the error?

it asks, the most important first:
  ? contract.status.phase: nothing in the status was seen to be this: phase
  ? claims.times.retry: longest was not seen: the time between two attempts at what keeps failing
  ? claims.features: sigint is not claimed: SIGINT did not end it

it guessed:
  - claims.times.shutdownGrace: what Kubernetes gives a Pod

a run judges 120 requirements by this profile, and on a cluster with nodes 5 more; what it does not
claim is skipped
for 1 more requirement a contract is needed, which this profile does not have
11 more cannot be mapped to this controller, and are skipped. The reasons, the most frequent first:
  - LT-004, OB-009, RC-004, RC-016, ST-002, ST-010 and 1 more: it changes image of demo, which is
    always shop:v1 in this implementation
  - SC-001, SC-002: it computes with replicas, which are written as a text in this implementation
  - ND-008: it changes image of other
  - and 1 more: reconform list --profile mine.yaml has all of them

note: launch.serial: one scenario at a time runs, so a run takes several times as long; the line in
the profile says why
note: it tried to reach web-0.web.look.svc:2379, and nothing answers there, as Pods do not really
run on the local control plane. A run comes to no conclusion about what it does not do because of
that: judge it on a cluster (docs/clusters.md), or switch these requests off
each stands in mine.yaml, at its field; a line below that begins with # and no space may be the
answer
next: reconform run --profile mine.yaml
`
	if diff := cmp.Diff(want, findingsInWords("mine.yaml", found, expected, 0)); diff != "" {
		t.Errorf("what it says (-want +got):\n%s", diff)
	}
	if last := "\nnext: reconform run --profile 'my own.yaml'\n"; !strings.HasSuffix(findingsInWords("my own.yaml", found, expected, 0), last) {
		t.Errorf("of a file with a space in its name, it does not end with %q", last)
	}
	expected.kubernetes = "v1.35.4"
	if last := "\nnext: reconform run --kubernetes v1.35.4 --profile mine.yaml\n"; !strings.HasSuffix(findingsInWords("mine.yaml", found, expected, 0), last) {
		t.Errorf("after a look on another version, it does not end with %q", last)
	}
	expected.unmapped = map[string]string{"VA-002": "it needs minPort"}
	const one = "1 more cannot be mapped to this controller, and is skipped. The reason:\n  - VA-002: it needs minPort\n"
	if said := findingsInWords("mine.yaml", found, expected, 0); !strings.Contains(said, one) {
		t.Errorf("of one requirement that cannot be mapped, it does not say %q:\n%s", one, said)
	}
}
