package page

import (
	"bytes"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func exploration() *v1alpha1.ExploreReport {
	first := v1alpha1.ExploredCase{
		Plan: "create: at create services demo: it is answered with 500 once", Operation: "create", Steps: []string{"create demo"}, Came: 2, Tries: 3,
		Divergences: []v1alpha1.Divergence{
			{Kind: v1alpha1.DivergenceField, Object: "services demo", Path: "spec.type", Expected: `"A"`, Found: "<script>alert(1)</script>"},
			{Kind: v1alpha1.DivergenceMissing, Object: "jobs.batch demo"},
		},
		Requests: []string{"#7 create services/demo <b>x</b>"}, Namespace: "explore-9",
	}
	return &v1alpha1.ExploreReport{
		Verdict: v1alpha1.Diverges, Implementation: v1alpha1.Implementation{Name: "mine </title>"}, Cut: "the budget of 5m0s was spent", Reproduce: "reconform explore",
		Plans: v1alpha1.ExplorePlans{Planned: 9, Done: 8, Diverging: 3, Unreached: 1},
		Causes: []v1alpha1.ExploredCause{
			{ID: "EX-00000001", About: "After an object is created, <i>x</i>.", Cases: []v1alpha1.ExploredCase{first, first}, Reproduce: "reconform run LT-901"},
			{ID: "EX-00000002", About: "Known.", Cases: []v1alpha1.ExploredCase{first}},
		},
		Masks: map[string][]v1alpha1.TrialMask{"create": {{Object: "services demo", Path: "spec.<u>"}}},
		Known: []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "EX-00000002", Expires: "2027-01-31"}, State: v1alpha1.KnownFails}},
	}
}

// The page of an exploration has what a person needs, and texts of a controller are
// shown as text.
func TestExplored(t *testing.T) {
	var out bytes.Buffer
	if err := makeExplored(&out, exploration()); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{
		"Diverges</span> mine &lt;/title&gt;", "2 causes of 3 divergences, 1 known in 8 of 9 plans", "the budget of 5m0s was spent",
		`This exploration once more (with --resume it goes on):</p><p class="command"><code>reconform explore</code>`, `id="EX-00000001"`, "in 2 of 3 tries", "it is missing", "&lt;script&gt;alert(1)&lt;/script&gt;", "#7 create services/demo &lt;b&gt;x",
		"reconform run LT-901", "The same in 1 other plan<", "logs/explore-9", "Known until 2027-01-31", "spec.&lt;u&gt;", "default-src &#39;none&#39;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for _, unwanted := range []string{"<script", "<b>x", "<u>", "<i>x"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("it has %q", unwanted)
		}
	}
	if t.Failed() {
		t.Log(got[strings.Index(got, "<body>"):])
	}
}

// An exploration that found nothing has a page, too.
func TestExploredNothing(t *testing.T) {
	var out bytes.Buffer
	if err := makeExplored(&out, &v1alpha1.ExploreReport{Verdict: v1alpha1.ExploredInconclusive, Reason: "no plan was carried out to its end"}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "no plan was carried out") || strings.Contains(got, "What diverges") {
		t.Error(got)
	}
}
