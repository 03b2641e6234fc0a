package page

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// reported is a report with these results.
func reported(t testing.TB, results ...v1alpha1.Result) *v1alpha1.ConformanceReport {
	t.Helper()
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	r := &v1alpha1.ConformanceReport{Profile: "mine", Implementation: v1alpha1.Implementation{Name: "mine", Version: "v2"}, Results: results}
	r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
	verdict.Conclude(all, r)
	return r
}

// failed has the evidence of a failure.
func failed(id string) v1alpha1.Result {
	return v1alpha1.Result{
		ID: id, Area: "self-healing", Level: catalogue.Core, Verdict: v1alpha1.Failed, Must: "It heals.",
		Reason: `at "Then it is back" (assert apps/v1/Deployment @ a/demo): spec.replicas: Invalid value: 7: Expected value: 2`,
		Evidence: &v1alpha1.Evidence{
			Difference: "* spec.replicas: Invalid value: 7: Expected value: 2\n\n--- expected\n+++ actual\n@@ -1 +1 @@\n spec:\n-  replicas: 2\n+  replicas: 7\n",
			Hint:       "compare them", Catches: "drift ignored", Reproduce: "reconform run --run '^" + id + "$'", Log: []string{"cannot"},
			Namespace: "reconform-" + strings.ToLower(id),
		},
	}
}

// recording is a history of so many requests in each of the namespaces.
func recording(t testing.TB, requests int, namespaces ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	r := history.New(&file, nil)
	for _, namespace := range namespaces {
		r.Event(history.Event{Scenario: namespace, Reason: history.StepBegan, Message: "Then it is back"})
		for n := range requests {
			verb, code, effect := history.VerbUpdate, 200, history.EffectEffective
			if n%3 == 0 {
				verb, effect = history.VerbGet, history.EffectNone
			}
			r.Begin(history.Request{
				Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: verb, Method: "PUT", Path: "/apis/apps/v1/x", Group: "apps",
				Resource: "deployments", Namespace: namespace, Name: fmt.Sprintf("demo-%d", n%20), Code: code, Effect: effect, Generation: int64(n),
			}).Finish(nil)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func made(t testing.TB, r *v1alpha1.ConformanceReport, recorded []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := writePage(&out, r, Recorded{History: bytes.NewReader(recorded)}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestMake: what a person needs stands on the page, without a script.
func TestMake(t *testing.T) {
	blocked := v1alpha1.Result{ID: "SH-009", Area: "self-healing", Verdict: v1alpha1.Blocked, BlockedBy: "SH-003", Reason: "blocked by SH-003: it relies on SH-003"}
	r := reported(t, failed("SH-003"), blocked, v1alpha1.Result{ID: "RC-001", Area: "reconcile", Level: catalogue.Core, Verdict: v1alpha1.Passed, Must: "It makes one."})
	r.Reproduce, r.TimeoutScale = "reconform run --profile=mine.yaml", 2
	page := made(t, r, recording(t, 10, "reconform-sh-003", "reconform-rc-001"))
	for _, want := range []string{
		"<title>✕ mine v2: not conformant</title>", "drift ignored", "compare them", "Then it is back", `id="SH-003"`, `href="#SH-003"`,
		`expected">spec.replicas = 2</dd>`, `observed">7, in Deployment demo</dd>`, `<span class="mistake">Drift ignored</span> <span class="must">It heals.`, "1 followed from it", `reconform run <span class="flag">--profile=</span>mine.yaml`,
		"Every time limit was multiplied by 2.", "It makes one.", `data-of="SH-003"`, `data-of="RC-001"`, "20 requests recorded, 20 on this page",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "—") {
		t.Error("a dash")
	}
	// The words say it. Without words, the difference is shown line by line.
	unsaid := failed("SH-003")
	unsaid.Reason = `at "Then it is back" (assert apps/v1/Deployment @ a/demo): it is not`
	for reason, want := range map[*v1alpha1.ConformanceReport]bool{r: false, reported(t, unsaid): true} {
		if got := strings.Contains(made(t, reason, nil), "−   replicas: 2</span>"); got != want {
			t.Errorf("the difference is shown: %t, want %t", got, want)
		}
	}
}

// TestExtended: what a run did not reach is not among the extended requirements that passed.
func TestExtended(t *testing.T) {
	var results []v1alpha1.Result
	for n, v := range []v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.ResultInconclusive, v1alpha1.Skipped} {
		results = append(results, v1alpha1.Result{ID: fmt.Sprintf("RC-00%d", n+1), Level: catalogue.Extended, Verdict: v})
	}
	if page, want := made(t, reported(t, results...), nil), "<dd>1 of the 2 that were tried passed</dd>"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// TestCutShort: the list of what a run did not reach is folded if it is long, and each
// entry is a link.
func TestCutShort(t *testing.T) {
	for name, tc := range map[string]struct {
		ids  []string
		want string
	}{
		"none": {nil, "The time was up; every requirement that was selected has a verdict all the same, without a second look."},
		"few":  {[]string{"CD-001", "CD-002"}, `<details class="gaps" open><summary>Not judged, as the time was up: 2 requirements</summary><p class="note"><a href="#CD-001">CD-001</a>, <a href="#CD-002">CD-002</a></p>`},
		"many": {slices.Repeat([]string{"CD-001"}, 40), `<details class="gaps"><summary>Not judged, as the time was up: 40 requirements</summary>`},
	} {
		t.Run(name, func(t *testing.T) {
			r := reported(t, failed("SH-003"))
			r.CutShort = &v1alpha1.CutShort{Reason: "the time was up", NotJudged: tc.ids}
			if page := made(t, r, nil); !strings.Contains(page, tc.want) {
				t.Errorf("the page lacks %s", tc.want)
			}
		})
	}
}

// TestEarlierResult: the requests of a run that did not judge something again are not shown
// beside its earlier result.
func TestEarlierResult(t *testing.T) {
	r := reported(t, failed("SH-003"), failed("SH-004"))
	r.Rerun = &v1alpha1.Rerun{Judged: []string{"SH-004"}}
	page := made(t, r, recording(t, 2, "reconform-sh-003", "reconform-sh-004"))
	for anchor, want := range map[string]bool{"SH-003": false, "SH-004": true} {
		if got := strings.Contains(page, `class="looks" data-of="`+anchor+`"`); got != want {
			t.Errorf("a timeline of %s: %t, want %t", anchor, got, want)
		}
	}
	if got := strings.Count(page, "This is the result of an earlier run."); got != 1 {
		t.Errorf("%d results are called earlier ones, want 1", got)
	}
}

// TestFirstLook: the result of the first look is shown in the same words as a failure.
func TestFirstLook(t *testing.T) {
	result := failed("SH-003")
	result.FirstLook = `failed: at "Then it is back" (assert apps/v1/Deployment @ a/demo): spec.replicas: Invalid value: 7: Expected value: 2`
	want := "At first: failed: Then it is back: expected spec.replicas = 2; found 7, in Deployment demo. The machine was busy, and it was looked at again."
	if page := made(t, reported(t, result), nil); !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// TestToldScenario: the scenario of a failure is opened at the step that failed, as it was
// rendered for this controller.
func TestToldScenario(t *testing.T) {
	text := "spec:\n  steps:\n  - name: Given a Site\n    try:\n    - create: {}\n  - name: Then it is back\n    try:\n    - assert: {kind: Site}\n  - name: Then it stays\n"
	result := failed("SH-003")
	result.Evidence.Rendered = "logs/a/scenario.yaml"
	v := newView(reported(t, result), nil)
	v.add(nil, Recorded{Logs: fstest.MapFS{"logs/a/scenario.yaml": {Data: []byte(text)}}})
	want := &told{
		Before: "spec:\n  steps:\n  - name: Given a Site\n    try:\n    - create: {}\n",
		Step:   "  - name: Then it is back\n    try:\n    - assert: {kind: Site}\n", After: "  - name: Then it stays\n", Rendered: true,
	}
	if diff := cmp.Diff(want, v.entries[0].Scenario); diff != "" {
		t.Errorf("the scenario (-want +got):\n%s", diff)
	}
}

// TestAlone: the page loads no other file, and its content security policy names what
// may run.
func TestAlone(t *testing.T) {
	page := made(t, reported(t, failed("SH-003")), recording(t, 3, "reconform-sh-003"))
	for _, foreign := range []string{"http://", "https://", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "eval(", " style=", " onclick="} {
		rest := strings.ReplaceAll(page, "http://www.w3.org/2000/svg", "")
		for _, d := range catalogue.Documents("self-healing") { // links, which lead to them when they are followed
			rest = strings.ReplaceAll(rest, `<a href="`+d.Address+`" rel="noopener noreferrer" target="_blank">`, "")
		}
		if at := strings.Index(rest, foreign); at >= 0 {
			t.Errorf("the page has %s: %q", foreign, rest[max(0, at-60):at+60])
		}
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("the page has no policy")
	}
	for part, element := range map[string]string{"style-src": "style", "script-src": "script"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s", len(found), element)
		}
		want := part + " &#39;" + strings.ReplaceAll(digest(found[0][1]), "+", "&#43;") + "&#39;;"
		if !strings.Contains(policy[1], want) {
			t.Errorf("the policy %s lacks %s", policy[1], want)
		}
	}
	if !strings.HasPrefix(policy[1], "default-src &#39;none&#39;;") {
		t.Errorf("the policy allows more: %s", policy[1])
	}
}

// TestAgain: the page can be made again from the files of a run, with or without its
// history.
func TestAgain(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	dir := t.TempDir()
	if _, err := Again(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := Again(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no report: %v", err)
	}
	if err := report.Write(dir, reported(t, failed("SH-003"))); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ recorded, want, err string }{
		"no history":        {"", "there was no history.jsonl", ""},
		"an empty history":  {"\n", "0 requests recorded", ""},
		"a history":         {string(recording(t, 2, "reconform-sh-003")), "2 requests recorded", ""},
		"a broken history":  {"{}\n{", "", "line 1: neither a request nor an event"},
		"one that was cut":  {string(recording(t, 2, "a")) + `{"type":"ev`, "", "line 4: neither a request nor an event"},
		"one of no objects": {"null\n", "", "line 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, report.HistoryFile)
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if tc.recorded != "" {
				if err := os.WriteFile(path, []byte(tc.recorded), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Again(dir)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), report.HistoryFile) {
					t.Errorf("got %v, want %s", err, tc.err)
				}
				return
			}
			page, readErr := os.ReadFile(filepath.Join(dir, report.PageFile))
			if err != nil || readErr != nil || !strings.Contains(string(page), tc.want) {
				t.Errorf("errors %v and %v, want a page with %s", err, readErr, tc.want)
			}
		})
	}
	unwritable := t.TempDir()
	if err := errors.Join(report.Write(unwritable, reported(t, failed("SH-003"))), os.MkdirAll(filepath.Join(unwritable, report.PageFile, "inside"), 0o750)); err != nil {
		t.Fatal(err)
	}
	if _, err := Again(unwritable); !errors.As(err, new(*UnwrittenError)) {
		t.Errorf("a page that cannot be written: %v", err)
	}
	kind := "apiVersion: reconform.dev/v1alpha1\nkind: Profile\nmetadata: {name: x}\n"
	if err := os.WriteFile(filepath.Join(dir, report.YAMLFile), []byte(kind), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Again(dir); err == nil || !strings.Contains(err.Error(), "ConformanceReport") {
		t.Errorf("another kind: %v", err)
	}
}

// TestLarge: the page of a complete run with many failures is small enough, and is made
// quickly. This test takes half a second, and ten times as long with the race detector.
// BenchmarkMake measures it.
func TestLarge(t *testing.T) {
	r, recorded := large(t)
	began := used(t)
	page := made(t, r, recorded)
	took := used(t) - began
	t.Logf("%d bytes of %d in %s of a processor", len(page), len(recorded), took)
	if took > 20*time.Second {
		t.Errorf("the page took %s of a processor", took)
	}
	if len(page) > 5<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if !strings.Contains(page, "50050 requests recorded") {
		t.Error("the page does not say how many requests there were")
	}
}

// used is how long this process has had a processor: others may use the machine as well.
func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// large is a report of all requirements, a third of which failed, with 50,000 requests.
func large(t testing.TB) (*v1alpha1.ConformanceReport, []byte) {
	t.Helper()
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var results []v1alpha1.Result
	var namespaces []string
	for n, requirement := range all[:min(110, len(all))] {
		result := failed(requirement.ID)
		result.Area, result.Level, result.Must = requirement.Area, requirement.Level, requirement.Must
		result.Duration = metav1.Duration{Duration: time.Duration(n) * time.Second}
		if n%3 > 0 {
			result.Verdict, result.Reason, result.Evidence = v1alpha1.Passed, "", nil
		}
		results = append(results, result)
		namespaces = append(namespaces, "reconform-"+strings.ToLower(requirement.ID))
	}
	return reported(t, results...), recording(t, 455, namespaces...)
}

// BenchmarkMake is how long the page of a large run takes.
func BenchmarkMake(b *testing.B) {
	r, recorded := large(b)
	for b.Loop() {
		made(b, r, recorded)
	}
}
