package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// tried is a record of an object as scenarios write it, with these requests of the
// controller, and with a Deployment if it made one.
func tried(t *testing.T, made bool, requests ...history.Request) (*Record, Act) {
	t.Helper()
	r := story(t, "{}", "{}", "{}", "{}")
	r.Film = NewFilm(append(r.Film, frame(t, 51, "kind: Shop\nmetadata: {name: tried}")))
	act := Act{Deed: Rehearse, Object: "tried", After: 50, Until: 60, AfterSeq: 10, UntilSeq: 20}
	if made {
		r.Film = append(r.Film, frame(t, 52, strings.ReplaceAll(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2), "shop-web", "tried-web")))
		requests = append(requests, created(12, "deployments", "Deployment/tried-web"))
	}
	r.Account.Requests = append(r.Account.Requests, requests...)
	r.Acts = append(r.Acts, act)
	return r, act
}

// TestProblem: init tries an object as scenarios will write it, and reports what goes
// wrong.
func TestProblem(t *testing.T) {
	refused := func(seq int64, code int) history.Request {
		return history.Request{Seq: seq, Verb: history.VerbUpdate, Resource: "services", Name: "tried", Code: code, Effect: history.EffectRefused, Message: "duplicate entries"}
	}
	byFault := refused(14, 500)
	byFault.Fault = "chaos"
	for name, tc := range map[string]struct {
		made     bool
		requests []history.Request
		want     string
	}{
		"a Deployment is made":          {true, nil, ""},
		"none is":                       {false, nil, "the controller made no Deployment for it"},
		"a write that is wrong":         {true, []history.Request{refused(14, 500)}, "the API server refused what the controller wrote then: #14 update services tried: 500 duplicate entries"},
		"one that is invalid":           {true, []history.Request{refused(14, 422)}, "422 duplicate entries"},
		"a conflict, which comes right": {true, []history.Request{refused(14, 409)}, ""},
		"a refusal that was ordered":    {true, []history.Request{byFault}, ""},
		"one that it had before, too":   {true, []history.Request{refused(3, 422), refused(14, 422)}, ""},
		"one of another time":           {true, []history.Request{refused(25, 422)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, act := tried(t, tc.made, tc.requests...)
			if got := r.Problem(act); got != tc.want && (tc.want == "" || !strings.HasSuffix(got, tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	r, act := tried(t, true)
	act.Refused = "spec.port: Invalid value"
	if got := r.Problem(act); got != "the API server refuses it: spec.port: Invalid value" {
		t.Errorf("of an object that is refused: %q", got)
	}
}

// TestUnready: Pods that are not ready are a problem only if those of the sample became ready.
func TestUnready(t *testing.T) {
	for name, tc := range map[string]struct {
		sample, tried int // ready Pods of two
		want          string
	}{
		"both are ready":        {2, 2, ""},
		"the sample's were":     {2, 0, NothingReady},
		"one is missing":        {2, 1, NothingReady},
		"the sample's were not": {1, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, act := tried(t, false)
			text := func(child string, ready int) string {
				return strings.ReplaceAll(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", ready), "shop-web", child)
			}
			r.Film = NewFilm(append(r.Film, frame(t, 18, text("shop-web", tc.sample)), frame(t, 52, text("tried-web", tc.tried))))
			r.Account.Requests = append(r.Account.Requests, created(12, "deployments", "Deployment/tried-web"))
			if got := r.Problem(act); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	// A Job says nothing of ready Pods.
	r := story(t, "{}", "{}", "{}", "{}")
	r.Film = NewFilm([]Frame{frame(t, 11, "kind: Job\nmetadata: {name: shop-web}\nspec: {template: {}}"), frame(t, 51, "kind: Job\nmetadata: {name: tried-web}\nspec: {template: {}}")})
	r.Account.Requests = []history.Request{created(1, "jobs", "Job/shop-web"), created(12, "jobs", "Job/tried-web")}
	r.Acts = append(r.Acts[:1], Act{Deed: Rehearse, Object: "tried", After: 50, Until: 60, AfterSeq: 10, UntilSeq: 20})
	if got := r.Problem(r.Acts[1]); got != "" {
		t.Errorf("of a Job: %q", got)
	}
}

// TestUnfit: if the first field for a role does not fit, the next one is used.
func TestUnfit(t *testing.T) {
	r := story(t, "{}", "{}", "{}", "{}")
	for n, path := range []string{"spec.grpcPort", "spec.httpPort"} {
		version, number := 60+10*n, int64(8101+n)
		r.Film = NewFilm(append(r.Film, frame(t, version+1, fmt.Sprintf(deployment, 3, "shop:v1", number, "", 3))))
		r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: path, To: number, After: int64(version), Until: int64(version + 5)})
	}
	for _, tc := range []struct {
		unfit []string
		want  string
	}{{nil, "spec.grpcPort"}, {[]string{"spec.grpcPort"}, "spec.httpPort"}, {[]string{"spec.grpcPort", "spec.httpPort"}, ""}} {
		r.Unfit = nil
		for _, path := range tc.unfit {
			r.Unfit = append(r.Unfit, Unfit{RolePort, path, "the API server refused it"})
		}
		if got := r.mappings(r.Main())[RolePort].Field.Path; got != tc.want {
			t.Errorf("without %v it is %q, want %q", tc.unfit, got, tc.want)
		}
	}
	f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r}
	f.askUnfit()
	want := []Question{
		{Text: "spec.grpcPort decides about it, too, and is left out: with a value that scenarios give, the API server refused it"},
		{Text: "spec.httpPort decides about it, too, and is left out: with a value that scenarios give, the API server refused it"},
	}
	if diff := cmp.Diff(want, f.Asked["contract.spec.port"]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// TestGrowsOnly: for a controller that follows a number up, but not down again, the
// profile says so.
func TestGrowsOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		then []int // replicas of the Deployment once it was to have 3, and then 2
		want bool
	}{
		"it follows both": {[]int{3, 2}, false},
		"it only grows":   {[]int{3, 3}, true},
		"it follows none": {[]int{2, 2}, false},
		"it does another": {[]int{3, 0}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := tried(t, true)
			for n, replicas := range tc.then {
				version := 70 + 10*n
				text := strings.ReplaceAll(fmt.Sprintf(deployment, replicas, "shop:v1", 8080, "", 2), "shop-web", "tried-web")
				r.Film = NewFilm(append(r.Film, frame(t, version+1, text)))
				r.Acts = append(r.Acts, Act{Deed: Rehearse, Object: "tried", Path: "spec.size", To: int64(3 - n), After: int64(version), Until: int64(version + 5)})
			}
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r, workload: r.MainWorkload()}
			f.Spec.Contract.Spec.Replicas = &v1alpha1.Field{Path: "spec.size"}
			f.findGrowth()
			declared := slices.ContainsFunc(f.Spec.Claims.NotHealed, func(n v1alpha1.NotHealed) bool {
				return n.Resource == "deployments.apps" && slices.Equal(n.Paths, []string{"spec.replicas"})
			})
			if got := f.Spec.Contract.Spec.Replicas.GrowOnly; got != tc.want || declared != tc.want {
				t.Errorf("grows only: %t, declared: %t, want %t", got, declared, tc.want)
			}
		})
	}
}
