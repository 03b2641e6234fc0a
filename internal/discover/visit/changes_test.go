package visit

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

// TestChangeAll: each field is changed once, and is put back. If the controller wrote nothing,
// it is put back together with the next change.
func TestChangeAll(t *testing.T) {
	for name, tc := range map[string]struct {
		limit  time.Duration
		writes bool
		want   []string // the spec after each update
		left   []string // the fields that were not changed
	}{
		"it does nothing": {0, false, []string{"A b c", "a B c", "a b C", "a b c"}, nil},
		"it writes":       {0, true, []string{"A b c", "a b c", "a B c", "a b c", "a b C", "a b c"}, nil},
		"a time limit":    {6 * time.Second, false, []string{"A b c", "a B c", "a b c"}, []string{"spec.third"}},
		"it is cut off":   {time.Second, false, []string{"A b c"}, []string{"spec.first", "spec.second", "spec.third"}},
		"it is over":      {1, false, nil, []string{"spec.first", "spec.second", "spec.third"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder, began := history.New(nil, nil), time.Now()
				spec := map[string]any{"first": "a", "second": "b", "third": "c"}
				shop := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Shop", "spec": spec}}
				shop.SetNamespace(Namespace)
				shop.SetName("demo")
				client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{services: "ServiceList", shops: "ShopList"}, shop)
				var got []string
				client.PrependReactor("update", "shops", func(action clienttesting.Action) (bool, runtime.Object, error) {
					updated, _ := action.(clienttesting.UpdateAction).GetObject().(*unstructured.Unstructured)
					var words []string
					for key, before := range spec {
						word, _ := before.(string)
						if infer.At(updated.Object, "spec."+key) != before {
							word = strings.ToUpper(word)
						}
						words = append(words, word)
					}
					slices.SortFunc(words, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
					got = append(got, strings.Join(words, " "))
					if tc.writes {
						recorder.Begin(history.Request{Scenario: Namespace, Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: "demo"}).
							Finish(func(q *history.Request) { q.Code, q.Effect = 200, history.EffectEffective })
					}
					return false, nil, nil
				})
				v := &visitor{
					session: &runner.Session{Recorder: recorder}, dynamic: client, resource: shops,
					Plan:   Plan{Console: report.NewConsole(io.Discard), Spec: func(string, infer.Known) map[string]any { return spec }},
					record: infer.Record{Kind: "Shop", Version: &apiextensionsv1.CustomResourceDefinitionVersion{}},
				}
				defer v.Console.Close()
				if tc.limit > 0 {
					v.Until = began.Add(tc.limit)
				}
				if err := v.changeAll(t.Context(), "demo"); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("the specs were %q, want %q", got, tc.want)
				}
				if !slices.Equal(v.record.Unchanged, tc.left) {
					t.Errorf("left out %q, want %q", v.record.Unchanged, tc.left)
				}
			})
		})
	}
}

// TestPutBack: after all changes the spec is as it was, without what was made around a field
// that the sample does not have. The API server may refuse what is left of it.
func TestPutBack(t *testing.T) {
	for name, writes := range map[string]bool{"it does nothing": false, "it writes": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				spec := map[string]any{"empty": map[string]any{}, "first": "a"}
				shop := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Shop", "spec": runtime.DeepCopyJSON(spec)}}
				shop.SetNamespace(Namespace)
				shop.SetName("demo")
				client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{services: "ServiceList", shops: "ShopList"}, shop)
				var last any
				refusable := 0
				client.PrependReactor("update", "shops", func(action clienttesting.Action) (bool, runtime.Object, error) {
					updated, _ := action.(clienttesting.UpdateAction).GetObject().(*unstructured.Unstructured)
					if service, given := infer.At(updated.Object, "spec.service").(map[string]any); given && service["port"] == nil {
						refusable++
					}
					last = updated.Object["spec"]
					if writes {
						recorder.Begin(history.Request{Scenario: Namespace, Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: "demo"}).
							Finish(func(q *history.Request) { q.Code, q.Effect = 200, history.EffectEffective })
					}
					return false, nil, nil
				})
				port := map[string]apiextensionsv1.JSONSchemaProps{"port": {Type: "integer"}}
				root := map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"empty": {Type: "object", Properties: port}, "service": {Type: "object", Properties: port, Required: []string{"port"}},
					"ports": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: port}}},
				}}}
				v := &visitor{
					session: &runner.Session{Recorder: recorder}, dynamic: client, resource: shops,
					Plan: Plan{Console: report.NewConsole(io.Discard), Spec: func(string, infer.Known) map[string]any { return spec }},
					record: infer.Record{Kind: "Shop", Version: &apiextensionsv1.CustomResourceDefinitionVersion{
						Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: root}},
					}},
				}
				defer v.Console.Close()
				if err := v.changeAll(t.Context(), "demo"); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(any(spec), last); diff != "" || refusable > 0 || len(v.record.Acts) < 4 {
					t.Errorf("%d changes, after %d of them the service had no port, which it must have; the spec (-want +got):\n%s", len(v.record.Acts), refusable, diff)
				}
			})
		})
	}
}

// TestSteps: when the time of a visit is over, no step waits any more. What has not begun, and
// what was not finished, is named.
func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &visitor{Plan: Plan{Until: time.Now().Add(time.Minute), Console: report.NewConsole(io.Discard)}}
		defer v.Console.Close()
		var done []string
		took := func(name string, long time.Duration) func() error {
			return func() error {
				done = append(done, name)
				return v.pass(t.Context(), long)
			}
		}
		began := time.Now()
		err := v.steps([]step{
			{"labels", took("labels", 50*time.Second)},
			{"deletion", took("deletion", 20*time.Second)},
			{"the end", took("the end", 0)},
			{"the end", took("more of it", 0)},
		})
		if want := []string{"labels", "deletion"}; err != nil || !slices.Equal(done, want) {
			t.Errorf("%v; it did %q, want %q", err, done, want)
		}
		if want := []string{"deletion", "the end"}; !slices.Equal(v.record.Untried, want) {
			t.Errorf("left out %q, want %q", v.record.Untried, want)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %s, and the time was a minute", took)
		}
	})
}

// TestNoTimeForOtherPorts: the controller is not started with other ports when the time of a
// visit is over, and that is named.
func TestNoTimeForOtherPorts(t *testing.T) {
	v := &visitor{
		Plan:   Plan{Rehearse: true, Until: time.Now(), Console: report.NewConsole(io.Discard)},
		record: infer.Record{Command: []string{"shopd", "--metrics=:8080"}, Ports: []int{8080}},
	}
	if err := v.move(t.Context()); err != nil {
		t.Error(err)
	}
	if want := []string{"other ports"}; !slices.Equal(v.record.Untried, want) {
		t.Errorf("left out %q, want %q", v.record.Untried, want)
	}
}

// TestNoTimeForAStandIn: no field is tried any more when the time of a visit is over.
func TestNoTimeForAStandIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seconds := map[string]apiextensionsv1.JSONSchemaProps{"terminationGracePeriodSeconds": {Type: "integer"}}
		root := map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", Properties: seconds}}
		v := &visitor{
			Plan: Plan{Until: time.Now(), Spec: func(string, infer.Known) map[string]any { return map[string]any{} }},
			record: infer.Record{Kind: "Shop", Version: &apiextensionsv1.CustomResourceDefinitionVersion{
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: root}},
			}},
		}
		if len(infer.StandIns(v.record.Version, v.Spec("", nil))) == 0 {
			t.Fatal("there is no field to try")
		}
		if err := v.standIn(t.Context(), "demo"); err != nil || len(v.record.Acts) > 0 {
			t.Errorf("%v; it did %v", err, v.record.Acts)
		}
	})
}

// TestPatience: a change is given the time of the next look of a controller that looks now and
// then, but not half a minute.
func TestPatience(t *testing.T) {
	for period, want := range map[time.Duration]time.Duration{0: 3 * time.Second, 2 * time.Second: 4 * time.Second, 10 * time.Second: 12 * time.Second, 30 * time.Second: 3 * time.Second} {
		v := &visitor{reaction: 500 * time.Millisecond, period: period}
		if got := v.patience(); got != want {
			t.Errorf("a period of %s: %s, want %s", period, got, want)
		}
	}
}

// TestSlow: a controller that takes seconds for its first write is slow at each step, and is given
// the time that it needs.
func TestSlow(t *testing.T) {
	for reaction, want := range map[time.Duration][3]time.Duration{ // patience, quiet, healing
		100 * time.Millisecond:  {2200 * time.Millisecond, silence, rollout},
		3900 * time.Millisecond: {mostPatience, mostSilence, rollout},
		10 * time.Second:        {22 * time.Second, 12 * time.Second, 22 * time.Second},
		24 * time.Second:        {30 * time.Second, 16 * time.Second, 30 * time.Second},
	} {
		v := &visitor{reaction: reaction}
		got := [3]time.Duration{v.patience(), v.quiet(), v.healing()}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("a first write after %s: patience, quiet, healing (-want +got):\n%s", reaction, diff)
		}
	}
}
