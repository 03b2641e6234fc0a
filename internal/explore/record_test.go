package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

func outcome(json string, deletions ...string) *tried {
	return &tried{TrialStatus: v1alpha1.TrialStatus{Outcome: json, Deletions: deletions}}
}

func TestMasks(t *testing.T) {
	got, err := undisturbed([]*tried{
		outcome(`{"secrets demo": {"data": {"token": "a", "fixed": "x"}}, "jobs.batch demo-1": {"spec": {"n": 1}}}`, "pods b"),
		outcome(`{"secrets demo": {"data": {"token": "b", "fixed": "x"}}, "jobs.batch demo-2": {"spec": {"n": 1}}}`, "pods a", "pods b"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got.Objects = ""
	want := v1alpha1.TrialUndisturbed{
		Masks:     []v1alpha1.TrialMask{{Object: "jobs.batch demo-1"}, {Object: "jobs.batch demo-2"}, {Object: "secrets demo", Path: "data.token"}},
		Deletions: []string{"pods a", "pods b"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("undisturbed (-want +got):\n%s", diff)
	}
}

func TestNamesWithARandomEndingAreMaskedForAllRuns(t *testing.T) {
	got, err := undisturbed([]*tried{
		outcome(`{"secrets demo-x7k2p": {}, "secrets demo-tls": {}}`),
		outcome(`{"secrets demo-9qzwv": {}, "secrets demo-tls": {}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]v1alpha1.TrialMask{{Object: "secrets demo-?????", Count: 1}}, got.Masks); diff != "" {
		t.Errorf("masks (-want +got):\n%s", diff)
	}
}

// TestMadeUpNamesAreCounted: objects whose names the controller makes up have other names in each
// run. Their number is compared, if it is the same each time.
func TestMadeUpNamesAreCounted(t *testing.T) {
	const one, two = `{"secrets demo-x7k2p": {}}`, `{"secrets demo-9qzwv": {}, "secrets demo-b4zq9": {}}`
	for name, tc := range map[string]struct {
		runs []*tried
		want int32
	}{
		"one each":         {[]*tried{outcome(one), outcome(`{"secrets demo-b4zq9": {}}`)}, 1},
		"two each":         {[]*tried{outcome(`{"secrets demo-ccccc": {}, "secrets demo-ddddd": {}}`), outcome(two)}, 2},
		"one, and two":     {[]*tried{outcome(one), outcome(two)}, 0},
		"not in all":       {[]*tried{outcome(one), outcome(`{}`)}, 0},
		"with another one": {[]*tried{outcome(`{"secrets demo-x7k2p": {}, "secrets demo-first": {}}`), outcome(`{"secrets demo-b4zq9": {}, "secrets demo-first": {}}`)}, 2},
	} {
		got, err := undisturbed(tc.runs)
		if err != nil || len(got.Masks) == 0 {
			t.Fatalf("%s: %+v, %v", name, got.Masks, err)
		}
		for _, mask := range got.Masks {
			if mask.Object != "secrets demo-?????" || mask.Count != tc.want {
				t.Errorf("%s: %+v, want %d of them", name, mask, tc.want)
			}
		}
	}
}

// TestMaskedToo: how many objects there are is said by the outcome that is expected, and by nothing
// if the number changes from run to run after another operation.
func TestMaskedToo(t *testing.T) {
	counted := func(n int32) v1alpha1.TrialMask { return v1alpha1.TrialMask{Object: "jobs demo-?????", Count: n} }
	field := v1alpha1.TrialMask{Object: "jobs demo", Path: "spec.x"}
	for name, tc := range map[string]struct{ expected, others, want []v1alpha1.TrialMask }{
		"as many":       {[]v1alpha1.TrialMask{counted(1)}, []v1alpha1.TrialMask{counted(1), field}, []v1alpha1.TrialMask{counted(1), field}},
		"another count": {[]v1alpha1.TrialMask{counted(1)}, []v1alpha1.TrialMask{counted(2)}, []v1alpha1.TrialMask{counted(1)}},
		"it changes":    {[]v1alpha1.TrialMask{counted(1)}, []v1alpha1.TrialMask{counted(0)}, []v1alpha1.TrialMask{counted(1), counted(0)}},
		"only later":    {nil, []v1alpha1.TrialMask{counted(2)}, []v1alpha1.TrialMask{counted(0)}},
	} {
		if diff := cmp.Diff(tc.want, maskedToo(tc.expected, tc.others)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEqualRunsAreNotMasked(t *testing.T) {
	same := outcome(`{"services demo": {"spec": {"port": 80}}}`)
	got, err := undisturbed([]*tried{same, same})
	if err != nil || len(got.Masks) > 0 {
		t.Errorf("masks %v, %v", got.Masks, err)
	}
}

// TestRecordingEndsWithItsPartOfTheBudget: operations that are not recorded when that
// part of the time is over are left out, without an error.
func TestRecordingEndsWithItsPartOfTheBudget(t *testing.T) {
	r := &recorder{parallel: 1, until: time.Now().Add(-time.Second)}
	all, left, err := r.recordAll(t.Context(), []Operation{{Name: "create"}, {Name: "failover"}})
	want := []string{"create: the budget is too small to record it", "failover: the budget is too small to record it"}
	if diff := cmp.Diff(want, left); err != nil || len(all) > 0 || diff != "" {
		t.Errorf("recorded %v, %v, left out (-want +got):\n%s", all, err, diff)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&recorder{parallel: 1}).recordAll(ended, []Operation{{Name: "create"}}); err == nil {
		t.Error("an interruption is not an error")
	}
}

// TestLearnedTooLate: a kind was seen late, and the budget is too small to record again
// with it. The recordings are used all the same, and that kind is not compared.
func TestLearnedTooLate(t *testing.T) {
	var told bytes.Buffer
	console := report.NewConsole(&told)
	e := &Exploration{options: Options{Console: console}}
	r := &recorder{resources: []string{"webapps", "services", "configmaps"}, until: time.Now()}
	early := recordedWith("create", `{"webapps demo":{},"services demo":{"a":"<b>"}}`)
	late := recordedWith("edit-env", `{"configmaps demo":{},"services demo":{},"webapps demo":{}}`)
	if r.hasTimeFor(time.Minute) || !(&recorder{}).hasTimeFor(time.Hour) {
		t.Error("there is time after the end, or none without a limit")
	}
	if err := e.leaveOut(r, 2, []*Recording{early, late}); err != nil {
		t.Fatal(err)
	}
	console.Close()
	if diff := cmp.Diff([]string{"webapps", "services"}, r.known()); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	var got []map[string]any
	for _, recording := range []*Recording{early, late} {
		outcome := map[string]any{}
		if err := json.Unmarshal([]byte(recording.Undisturbed.Objects), &outcome); err != nil {
			t.Fatal(err)
		}
		got = append(got, outcome)
	}
	want := []map[string]any{
		{"webapps demo": map[string]any{}, "services demo": map[string]any{"a": "<b>"}},
		{"webapps demo": map[string]any{}, "services demo": map[string]any{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if len(e.left) != 1 || !strings.Contains(e.left[0], "configmaps are not compared") || !strings.Contains(told.String(), "configmaps") {
		t.Errorf("left %q, told %q", e.left, told.String())
	}
}

// TestAffordable: when a quarter of the budget is spent, of each sort of combinations only the first
// one is recorded, and the report says how many are left out.
func TestAffordable(t *testing.T) {
	sorts := [][]Operation{
		{{Name: "edit-a then back"}, {Name: "edit-b then back"}},
		{{Name: "edit-a then as-new"}, {Name: "edit-b then as-new"}, {Name: "edits"}},
		nil,
		{{Name: "another"}},
	}
	all := []string{"edit-a then back", "edit-b then back", "edit-a then as-new", "edit-b then as-new", "edits", "another"}
	first := []string{"edit-a then back", "edit-a then as-new", "another"}
	const left = "combinations of two operations, or of an operation meanwhile: the budget is too small to record more than one of each sort"
	for name, tc := range map[string]struct {
		options Options
		spent   time.Duration
		want    []string
		left    []string
	}{
		"no budget":                 {Options{}, time.Hour, all, nil},
		"early":                     {Options{Budget: time.Hour}, 10 * time.Minute, all, nil},
		"late":                      {Options{Budget: time.Hour}, 20 * time.Minute, first, []string{"3 " + left}},
		"late, one sort asked for":  {Options{Budget: time.Hour, Ways: []string{"edited-back"}}, 20 * time.Minute, first[:1], []string{"1 " + strings.Replace(left, "s", "", 1)}},
		"late, and nothing is more": {Options{Budget: time.Hour, Ways: []string{"another"}}, 20 * time.Minute, first[2:], nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := &Exploration{options: tc.options, began: time.Now().Add(-tc.spent)}
			more, left := e.affordable(sorts)
			var names []string
			for _, o := range more {
				names = append(names, o.Name)
			}
			if diff := cmp.Diff([][]string{tc.want, tc.left}, [][]string{names, left}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUsualWithMadeUpNames: what the controller deletes and harms undisturbed has another name in each
// run, if the controller makes it up. A disturbed one may do the same to one of a third name.
func TestUsualWithMadeUpNames(t *testing.T) {
	run := func(job string) *tried {
		one := outcome(`{}`, "jobs.batch "+job, "jobs.batch demo-https")
		one.Divergences = []v1alpha1.Divergence{
			{Kind: v1alpha1.DivergenceHarm, Object: "jobs.batch " + job, Path: "ChildReplaced"},
			{Kind: v1alpha1.DivergenceHarm, Object: "jobs.batch demo-https", Path: "ChildReplaced"},
			{Kind: v1alpha1.DivergenceField, Object: "jobs.batch demo", Path: "spec"},
			{Kind: v1alpha1.DivergenceHarm, Path: "of nothing"},
		}
		return one
	}
	got, err := undisturbed([]*tried{run("demo-x7k2p"), run("demo-9qzwv")})
	if err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.TrialUndisturbed{
		Objects:   `{}`,
		Deletions: []string{"jobs.batch demo-?????", "jobs.batch demo-https"},
		Harms:     []v1alpha1.TrialMask{{Object: "jobs.batch demo-?????", Path: "ChildReplaced"}, {Object: "jobs.batch demo-https", Path: "ChildReplaced"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("undisturbed (-want +got):\n%s", diff)
	}
}

// TestRefusedOperation: an operation that the API server refuses is left out, with the reason. Only if
// the sample is refused there is nothing to explore.
func TestRefusedOperation(t *testing.T) {
	why := fmt.Errorf("creating a Trial: %w", refused{errors.New("spec.source: only one may be set")})
	var left *failed
	if err := notRecorded(Operation{Name: "edits then as-new"}, why); IsUnfit(err) || !errors.As(err, &left) || !strings.Contains(err.Error(), "edits then as-new: creating a Trial: spec.source") {
		t.Errorf("another operation: %v", err)
	}
	if err := notRecorded(Operation{Name: "create"}, why); !IsUnfit(err) {
		t.Errorf("the creation: %v", err)
	}
	if err := notRecorded(Operation{Name: "restart"}, errors.New("the bench is away")); IsUnfit(err) || errors.As(err, &left) {
		t.Errorf("the bench: %v", err)
	}
}
