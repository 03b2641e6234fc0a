package baseline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const divergences = `apiVersion: reconform.dev/v1alpha1
kind: KnownFailures
failures:
- {id: EX-0123abcd, reason: a lost answer to the Service, owner: team-web, expires: 2027-01-31}
- {id: SH-004, reason: the image, owner: team-web, expires: 2027-01-31}
`

// A file has failures of both kinds, and each command takes its own.
func TestDivergencesInAFile(t *testing.T) {
	all, err := Parse("known.yaml", []byte(divergences), ids)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[:1], aboutCauses(all)); diff != "" {
		t.Errorf("of explorations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all[1:], Requirements(all)); diff != "" {
		t.Errorf("of runs (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{"EX-0123abcg", "EX-0123abcde", "EX-"} {
		_, err := Parse("known.yaml", []byte(strings.Replace(divergences, "EX-0123abcd", wrong, 1)), ids)
		if err == nil || !strings.Contains(err.Error(), "known.yaml:4: failures[0].id: no requirement is called") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestSettleCauses(t *testing.T) {
	known := []v1alpha1.KnownFailure{{ID: "EX-0123abcd", Expires: "2027-01-31"}, {ID: "SH-004", Expires: "2027-01-31"}}
	found := func(ids ...string) *v1alpha1.ExploreReport {
		r := &v1alpha1.ExploreReport{Verdict: v1alpha1.Converges}
		for _, id := range ids {
			r.Causes, r.Verdict = append(r.Causes, v1alpha1.ExploredCause{ID: id}), v1alpha1.Diverges
		}
		return r
	}
	cut := found()
	cut.Cut = "the budget was spent"
	part := found()
	part.Shard = &v1alpha1.Shard{Index: 1, Count: 2}
	some := found()
	some.Sorts = []string{"create"}
	unsure := found("EX-0123abcd")
	unsure.Reason = "12 of 40 plans could not be carried out"
	lacking, once := found(), found()
	lacking.Left = []string{"edit-image: the budget is too small to record it"}
	once.Unconfirmed = []v1alpha1.ExploredCase{{Plan: "create: at create services demo"}}
	ways := found()
	ways.Disturbances = []string{"conflict"}
	for name, tc := range map[string]struct {
		report *v1alpha1.ExploreReport
		today  string
		state  v1alpha1.KnownState
		whole  v1alpha1.ExploreVerdict
	}{
		"comes":               {found("EX-0123abcd"), "2026-11-23", v1alpha1.KnownFails, v1alpha1.Converges},
		"on its last day":     {found("EX-0123abcd"), "2027-01-31", v1alpha1.KnownFails, v1alpha1.Converges},
		"too late":            {found("EX-0123abcd"), "2027-02-01", v1alpha1.KnownExpired, v1alpha1.Diverges},
		"another one, too":    {found("EX-0123abcd", "EX-ffffffff"), "2026-11-23", v1alpha1.KnownFails, v1alpha1.Diverges},
		"too little beside":   {unsure, "2026-11-23", v1alpha1.KnownFails, v1alpha1.ExploredInconclusive},
		"mended":              {found(), "2027-02-01", v1alpha1.KnownMended, v1alpha1.Converges},
		"the budget":          {cut, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.Converges},
		"a shard":             {part, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.Converges},
		"some operations":     {some, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.Converges},
		"some disturbances":   {ways, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.Converges},
		"something was left":  {lacking, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.Converges},
		"something came once": {once, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.Converges},
		"nothing was found":   {&v1alpha1.ExploreReport{Verdict: v1alpha1.ExploredInconclusive}, "2026-11-23", v1alpha1.KnownNotSeen, v1alpha1.ExploredInconclusive},
	} {
		tc.report.Known = SettleCauses(known, tc.report, day(t, tc.today))
		if len(tc.report.Known) != 1 || tc.report.Known[0].State != tc.state {
			t.Errorf("%s: %+v, want %s", name, tc.report.Known, tc.state)
		}
		if got := Explored(tc.report); got != tc.whole {
			t.Errorf("%s: the verdict without what is known is %s, want %s", name, got, tc.whole)
		}
	}
}
