package runner

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// Scenarios wait for a Deployment, and the controller makes none in any of them. Another one
// then waits for ten seconds.
func TestBarren(t *testing.T) {
	reference, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	const deployment, webapp, service = "apps/v1/Deployment", "apps.kubedojo.io/v1beta1/WebApp", "v1/Service"
	start := time.Now()
	for name, tc := range map[string]struct {
		inVain int           // scenarios that have waited before, and failed
		long   time.Duration // each
		made   bool          // whether one of them got a Deployment after all
		kind   string        // that all wait for
		waited time.Duration
		want   bool
	}{
		"three have waited":        {3, 45 * time.Second, false, deployment, 12 * time.Second, true},
		"two have waited":          {2, 45 * time.Second, false, deployment, 12 * time.Second, false},
		"they ended early":         {3, 5 * time.Second, false, deployment, 12 * time.Second, false},
		"one was made":             {4, 45 * time.Second, true, deployment, 12 * time.Second, false},
		"it has only begun":        {3, 45 * time.Second, false, deployment, 5 * time.Second, false},
		"another kind of children": {3, 45 * time.Second, false, service, 12 * time.Second, true},
		"no child":                 {3, 45 * time.Second, false, webapp, 12 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			screen := report.NewConsole(io.Discard)
			defer screen.Close()
			recorder := history.New(nil, nil)
			r := &run{options: &Options{ReportDir: t.TempDir(), TimeoutScale: 1, Profile: reference, Console: screen}, recorder: recorder}
			i := &Implementation{Profile: reference, contract: invariant.ContractOf(reference)}
			w := r.newWaits()
			r.waits = w
			assert := func(id string) (*scenario, chainsaw.Event) {
				s := &scenario{implementation: i, requirement: catalogue.Requirement{ID: id, Name: id}, namespace: "reconform-" + id}
				return s, chainsaw.Event{Step: "Given the WebApp demo", Operation: "assert", Object: tc.kind + " @ " + s.namespace + "/demo"}
			}
			for n := range tc.inVain {
				s, event := assert(string(rune('a' + n)))
				w.follow(s, event, start)
				if n == tc.inVain-1 && tc.made {
					recorder.Begin(history.Request{
						Scenario: s.namespace, Verb: history.VerbCreate, Group: "apps", Version: "v1", Resource: "deployments", Name: "demo",
						Code: http.StatusCreated, Effect: history.EffectEffective,
					})
				}
				event.Failed = event.Step
				w.follow(s, event, start.Add(tc.long))
				w.follow(s, chainsaw.Event{Kind: chainsaw.Ended, Failed: event.Step}, start.Add(tc.long))
			}
			last, event := assert("z")
			w.follow(last, event, start)
			var want []chainsaw.Ending
			if tc.want {
				want = []chainsaw.Ending{{Test: "z", Namespace: "reconform-z", Resource: i.resourceOf(event.Object).String(), Waited: 5 * time.Second}}
			}
			if diff := cmp.Diff(want, w.hopelessAsserts(start.Add(tc.waited))); diff != "" {
				t.Errorf("endings (-want +got):\n%s", diff)
			}
			if tc.want { // the runner's answer
				ended := event
				ended.Failed, ended.GivenUp = event.Step, i.resourceOf(event.Object).String()
				w.follow(last, ended, start.Add(tc.waited))
			}
			if got := w.gaveUp(*last); got != tc.want {
				t.Errorf("given up: %t, want %t", got, tc.want)
			}
			if lacks := w.lacks(*last); lacks.Empty() == tc.want {
				t.Errorf("it lacks %s", lacks)
			}

			of := i.resourceOf(tc.kind + " @ any/demo")
			observing, begun := assert("y")
			begun.Object = "reconform.dev/v1alpha1/Observation @ " + observing.namespace + "/created"
			w.follow(observing, begun, start)
			waiting := objects.Waiting{
				NamespacedName: types.NamespacedName{Namespace: observing.namespace, Name: "created"}, Kind: "Observation",
				Resource: of.String(), Of: "demo", Left: time.Minute,
			}
			if got := w.hopelessly(waiting, start.Add(tc.waited)); got != tc.want {
				t.Errorf("an Observation is given up: %t, want %t", got, tc.want)
			}
		})
	}
}

func TestResourceOf(t *testing.T) {
	i := &Implementation{contract: invariant.Contract{Resources: map[schema.GroupKind]schema.GroupResource{
		{Group: "example.com", Kind: "Elasticsearch"}: {Group: "example.com", Resource: "elasticsearches"},
	}}}
	for object, want := range map[string]schema.GroupResource{
		"apps/v1/Deployment @ reconform-rc-001/demo":               {Group: "apps", Resource: "deployments"},
		"v1/Service @ reconform-rc-001/demo":                       {Resource: "services"},
		"networking.k8s.io/v1/NetworkPolicy @ reconform-rc-001/*":  {Group: "networking.k8s.io", Resource: "networkpolicies"},
		"reconform.dev/v1alpha1/Observation @ reconform-rc-001/ok": {},
		"example.com/v1/Elasticsearch @ reconform-rc-001/demo":     {Group: "example.com", Resource: "elasticsearches"},
		"/ @ *": {},
		"":      {},
	} {
		if got := i.resourceOf(object); got != want {
			t.Errorf("%q: %s, want %s", object, got, want)
		}
	}
}
