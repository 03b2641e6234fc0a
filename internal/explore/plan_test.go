package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// recordingOf is a recording of a creation with these writes and watches.
func recordingOf(writes []Write, watches ...string) *Recording {
	return &Recording{
		Operation: Operation{Name: "create", About: first(watches), Steps: []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{}}}},
		Writes:    writes, Watches: watches,
		Undisturbed: v1alpha1.TrialUndisturbed{Objects: "{}"},
	}
}

// first is the first of the watches, which is the one of the object.
func first(watches []string) string {
	if len(watches) == 0 {
		return ""
	}
	return watches[0]
}

func create(resource string) Write {
	return Write{Verb: history.VerbCreate, Resource: resource, Name: "demo", Occurrence: 1, Effective: 1}
}

func sortsOf(plans []*Plan) []string {
	var sorts []string
	for _, p := range plans {
		if !slices.Contains(sorts, p.Sort) {
			sorts = append(sorts, p.Sort)
		}
	}
	slices.Sort(sorts)
	return sorts
}

func TestPlansOfARecording(t *testing.T) {
	update := Write{Verb: history.VerbUpdate, Resource: "webapps.apps.kubedojo.io", Subresource: "status", Name: "demo", Occurrence: 3, Effective: 2}
	plans := recordingOf([]Write{create("deployments.apps"), update}, "services").plans()

	want := []string{
		"403", "403-lasting", "422", "429", "500", "500-lasting", "504", "already-exists", "conflict", "conflict-lasting", "crash-after",
		"crash-before", "cut", "late-answer", "lost-answer", "slow", "terminate", "watch-frozen", "watch-late",
	}
	if diff := cmp.Diff(want, sortsOf(plans)); diff != "" {
		t.Errorf("sorts (-want +got):\n%s", diff)
	}
	// Killing it before the second write is killing it after the first.
	before := 0
	for _, p := range plans {
		switch {
		case p.Sort == "crash-before":
			before++
		case p.Sort == "already-exists" && p.Disturb.At.Verb != history.VerbCreate:
			t.Errorf("%s: only a create is answered so", p.InWords())
		case p.Sort == "crash-after" && p.Kind == update.kind() && p.Disturb.At.Occurrence != 2:
			t.Errorf("a crash after a write counts effective writes: %+v", p.Disturb.At)
		case p.Sort == "500" && p.Kind == update.kind() && p.Disturb.At.Occurrence != 3:
			t.Errorf("an answer counts all requests: %+v", p.Disturb.At)
		}
	}
	if before != 1 {
		t.Errorf("%d plans kill it before a write, want 1", before)
	}
	at := plans[0].Disturb.At
	if diff := cmp.Diff(v1alpha1.TrialPoint{Verb: "create", Resource: "deployments.apps", Subresource: "-", Name: "demo", Occurrence: 1}, at); diff != "" {
		t.Errorf("point (-want +got):\n%s", diff)
	}
}

func TestNothingWrittenIsNotDisturbed(t *testing.T) {
	if plans := recordingOf(nil, "services").plans(); len(plans) > 0 {
		t.Errorf("%d plans for an operation after which nothing is written", len(plans))
	}
}

// A watch on which nothing comes is not disturbed.
func TestEventfulWatches(t *testing.T) {
	got := recordingOf([]Write{create("services")}, "webapps", "configmaps", "services").eventful()
	if diff := cmp.Diff([]string{"webapps", "services"}, got); diff != "" {
		t.Errorf("watches (-want +got):\n%s", diff)
	}
}

func TestMeanwhileNeedsItsOutcome(t *testing.T) {
	r := recordingOf([]Write{create("services")})
	other := Other{Name: "delete", How: "it is deleted"}
	if plans := meanwhilePlans(map[string]*Recording{}, r, []Other{other}); len(plans) > 0 {
		t.Errorf("%d plans without the outcome of both", len(plans))
	}
	both := &Recording{Undisturbed: v1alpha1.TrialUndisturbed{Objects: `{"a b": {}}`, Writes: 1, Deletions: []string{"services demo"}}}
	r.Undisturbed.Writes = 4
	plans := meanwhilePlans(map[string]*Recording{"create then delete": both}, r, []Other{other})
	if len(plans) != 1 || plans[0].Undisturbed.Objects != both.Undisturbed.Objects || plans[0].Undisturbed.Writes != 5 {
		t.Fatalf("plans: %+v", plans)
	}
	if plans[0].Disturb.Meanwhile == nil || len(both.Undisturbed.Deletions) != 1 {
		t.Errorf("plan: %+v, recording: %+v", plans[0].Disturb, both.Undisturbed)
	}
}

func TestEqualPlansAreOne(t *testing.T) {
	r := recordingOf([]Write{create("services")})
	once := r.plans()
	got, err := distinct(append(r.plans(), r.plans()...))
	if err != nil || len(got) != len(once) {
		t.Errorf("%d of %d plans, %v", len(got), len(once), err)
	}
}

// TestEqualStepsAreNotEqualPlans: two plans without a disturbance may have the same steps, and expect
// different things: that all is put back, and that no bystander is written.
func TestEqualStepsAreNotEqualPlans(t *testing.T) {
	r := recordingOf(nil)
	plans := []*Plan{r.plan("undone", "all", "", ""), r.plan("bystanders", "all", "", ""), r.plan("undone", "all", "", "")}
	got, err := distinct(plans)
	if diff := cmp.Diff([]string{"bystanders", "undone"}, sortsOf(got)); diff != "" || err != nil {
		t.Errorf("%v, plans (-want +got):\n%s", err, diff)
	}
}

// The first plans have each sort of disturbance and each kind of object.
func TestOrderIsFair(t *testing.T) {
	var all []*Plan
	for _, resource := range []string{"deployments.apps", "services", "configmaps", "secrets"} {
		all = append(all, recordingOf([]Write{create(resource), create(resource + "x")}, resource).plans()...)
	}
	ordered := order(all, 1)
	if len(ordered) != len(all) {
		t.Fatalf("%d of %d plans", len(ordered), len(all))
	}
	likely := slices.DeleteFunc(slices.Clone(all), func(p *Plan) bool { return unlikely([]*Plan{p})[p.pair()] > 0 })
	sorts := sortsOf(likely)
	if diff := cmp.Diff(sorts, sortsOf(ordered[:len(sorts)+2])); diff != "" {
		t.Errorf("sorts of the first plans (-want +got):\n%s", diff)
	}
	kinds := map[string]bool{}
	for _, p := range ordered[:16] {
		kinds[p.Kind] = true
	}
	if len(kinds) < 8 {
		t.Errorf("the first 16 plans have only the kinds %v", kinds)
	}
	pairs := map[string]bool{}
	for _, p := range all {
		pairs[p.pair()] = true
	}
	early := map[string]bool{}
	for _, p := range ordered[:len(pairs)] {
		early[p.pair()] = true
	}
	if len(early) != len(pairs) {
		t.Errorf("the first %d plans have %d pairs", len(pairs), len(early))
	}
	likelyPairs := map[string]bool{}
	for _, p := range likely {
		likelyPairs[p.pair()] = true
	}
	for i, p := range ordered[:len(likelyPairs)] {
		if !likelyPairs[p.pair()] {
			t.Errorf("plan %d, before others had their first turn: %s", i, p.InWords())
		}
	}
	again, other := order(all, 1), order(all, 2)
	if !slices.Equal(ordered, again) {
		t.Error("the same seed gives another order")
	}
	if slices.Equal(ordered, other) {
		t.Error("another seed gives the same order")
	}
}

func TestWritesAreNumbered(t *testing.T) {
	request := func(seq int64, verb, resource, name, subresource string, effect history.Effect) history.Request {
		return history.Request{Seq: seq, Verb: verb, Resource: resource, Name: name, Subresource: subresource, Effect: effect}
	}
	got := work([]history.Request{
		request(1, history.VerbCreate, "services", "early", "", history.EffectEffective),
		request(6, history.VerbGet, "services", "demo", "", history.EffectNone),
		request(7, history.VerbUpdate, "services", "demo", "", history.EffectRefused),
		request(8, history.VerbUpdate, "services", "demo", "", history.EffectEffective),
		request(9, history.VerbUpdate, "services", "demo", "status", history.EffectEffective),
		request(10, history.VerbCreate, "events", "demo.1", "", history.EffectEffective),
		{Seq: 11, Verb: history.VerbDelete, Resource: "services", Name: "other", Effect: history.EffectEffective, Bystander: true},
	}, 5, nil)
	want := []Write{
		{Verb: "update", Resource: "services", Name: "demo", Occurrence: 2, Effective: 1},
		{Verb: "update", Resource: "services", Name: "demo", Subresource: "status", Occurrence: 1, Effective: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// TestWritesOfMadeUpNames: the point of a write has the name that is the same in each run, or no
// other run would get there.
func TestWritesOfMadeUpNames(t *testing.T) {
	request := func(seq int64, verb, name string) history.Request {
		return history.Request{Seq: seq, Verb: verb, Resource: "jobs", Name: name, Effect: history.EffectEffective}
	}
	requests := []history.Request{request(1, history.VerbCreate, "demo-x7k2p"), request(2, history.VerbCreate, "demo-9qzwv"), request(3, history.VerbUpdate, "demo-tls")}
	for name, tc := range map[string]struct {
		masks []v1alpha1.TrialMask
		want  []string
	}{
		"made up":          {[]v1alpha1.TrialMask{{Object: "jobs demo-?????", Count: 2}}, []string{"create jobs demo-?????", "create jobs demo-????? (number 2)", "update jobs demo-tls"}},
		"the same":         {nil, []string{"create jobs demo-x7k2p", "create jobs demo-9qzwv", "update jobs demo-tls"}},
		"a field of them":  {[]v1alpha1.TrialMask{{Object: "jobs demo-?????", Path: "spec"}}, []string{"create jobs demo-x7k2p", "create jobs demo-9qzwv", "update jobs demo-tls"}},
		"of another kind":  {[]v1alpha1.TrialMask{{Object: "pods demo-?????"}}, []string{"create jobs demo-x7k2p", "create jobs demo-9qzwv", "update jobs demo-tls"}},
		"with another end": {[]v1alpha1.TrialMask{{Object: "jobs demo-????????"}}, []string{"create jobs demo-x7k2p", "create jobs demo-9qzwv", "update jobs demo-tls"}},
	} {
		var got []string
		for _, w := range work(requests, 0, tc.masks) {
			got = append(got, w.InWords())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: writes (-want +got):\n%s", name, diff)
		}
	}
}

// TestChosen: the creation is recorded even if only other operations are disturbed, because
// these are compared with it.
func TestChosen(t *testing.T) {
	all := []Operation{{Name: "create"}, {Name: "edit-image"}, {Name: "drift-deployments"}}
	for _, tc := range []struct {
		sorts               []string
		disturbed, recorded int
	}{{nil, 3, 3}, {[]string{"drift"}, 1, 2}, {[]string{"create", "edit"}, 2, 2}, {[]string{"failover"}, 0, 1}} {
		disturbed, recorded := chosen(all, tc.sorts)
		if len(disturbed) != tc.disturbed || len(recorded) != tc.recorded || recorded[0].Name != "create" {
			t.Errorf("%v: %v and %v", tc.sorts, disturbed, recorded)
		}
	}
}

// TestAllWatchesLate: if something comes on several watches, all can be late together.
func TestAllWatchesLate(t *testing.T) {
	r := recordingOf([]Write{create("services"), create("deployments.apps")}, "services")
	r.Watches = []string{"deployments.apps", "services"}
	if sorts := sortsOf(r.watchPlans()); !slices.Contains(sorts, "watch-late-all") {
		t.Errorf("sorts of two watches: %v", sorts)
	}
	r.Watches = []string{"services"}
	if sorts := sortsOf(r.watchPlans()); slices.Contains(sorts, "watch-late-all") {
		t.Errorf("sorts of one watch: %v", sorts)
	}
}

// TestUnmade: if the object is deleted meanwhile, children that would only be created
// later, and would outlive the object, may be missing.
func TestUnmade(t *testing.T) {
	writes := []Write{create("secrets"), create("configmaps"), create("jobs.batch"), {Verb: history.VerbUpdate, Resource: "services", Name: "demo"}}
	outcome := `{"secrets demo": {}, "configmaps demo": {}, "services demo": {}}`
	if diff := cmp.Diff([]v1alpha1.TrialMask{{Object: "configmaps demo"}}, unmade(writes[1:], outcome)); diff != "" {
		t.Errorf("masks (-want +got):\n%s", diff)
	}
}

// TestSurvived: if an object is created again, remains of the earlier one change the
// outcome. Only these differences are masked.
func TestSurvived(t *testing.T) {
	created := `{"secrets demo": {}, "requests demo-1": {}, "apps demo": {"status": {"revision": 1, "phase": "Ready"}}}`
	again := `{"secrets demo": {}, "apps demo": {"status": {"phase": "Ready"}}}`
	want := []v1alpha1.TrialMask{{Object: "apps demo", Path: "status.revision"}, {Object: "requests demo-1"}}
	if diff := cmp.Diff(want, survived(created, again)); diff != "" {
		t.Errorf("masks (-want +got):\n%s", diff)
	}
	if got := survived(created, created); len(got) > 0 {
		t.Errorf("masks of equal outcomes: %v", got)
	}
}

// TestLateEventsFirstWhereObjectsAreMade: a controller whose cache is behind makes an object twice, so
// the first turn of the late events of a kind is in an operation in which it makes one, whatever the
// seed.
func TestLateEventsFirstWhereObjectsAreMade(t *testing.T) {
	update := Write{Verb: history.VerbUpdate, Resource: "services", Name: "demo", Occurrence: 1, Effective: 1}
	var plans []*Plan
	recorded := map[string]*Recording{}
	for name, writes := range map[string][]Write{
		"create": {create("services"), create("secrets")}, "drift-services": {update}, "edit-port": {update}, "delete-child-services": {create("services")}, "edit-image": {update}, "edit-host": {create("services"), update},
	} {
		r := recordingOf(writes, "services", "secrets")
		r.Name, recorded[name] = name, r
		plans = append(plans, r.watchPlans()...)
	}
	noteElsewhere(recorded, plans)
	for seed := range int64(20) {
		had := map[string]bool{}
		for _, p := range order(plans, seed) {
			if made := slices.Contains([]string{"create", "delete-child-services", "edit-host"}, p.Operation.Name); !had[p.pair()] && !made {
				t.Errorf("seed %d: the first plan of %s is %s", seed, p.pair(), p.InWords())
			}
			had[p.pair()] = true
		}
	}
}
