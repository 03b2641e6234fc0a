package visit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/runner"
)

// TestLateChild: a child that is created while there is nothing to do belongs to the creation
// of its object.
func TestLateChild(t *testing.T) {
	for name, verb := range map[string]string{"a Service is created": history.VerbCreate, "the status is written": history.VerbUpdate} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				v := &visitor{
					session: &runner.Session{Recorder: recorder},
					dynamic: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{services: "ServiceList"}),
					record:  infer.Record{Kind: "Shop", Acts: []infer.Act{{Deed: infer.Create, Object: "demo"}}},
				}
				time.AfterFunc(2*time.Second, func() {
					recorder.Begin(history.Request{Scenario: Namespace, Verb: verb, Resource: "services", Name: "demo"}).
						Finish(func(q *history.Request) { q.Code, q.Effect = 200, history.EffectEffective })
				})
				if err := v.rest(t.Context(), "demo"); err != nil {
					t.Fatal(err)
				}
				acts, late := v.record.Acts, recorder.LastSeq()
				if len(acts) != 2 || acts[1].Deed != infer.Rest {
					t.Fatalf("the acts are %+v", acts)
				}
				if belongs := acts[0].UntilSeq == late; belongs != (verb == history.VerbCreate) {
					t.Errorf("the creation lasts until %d, and the write is %d", acts[0].UntilSeq, late)
				}
				if resting := acts[1].AfterSeq < late; resting == (verb == history.VerbCreate) {
					t.Errorf("the rest begins after %d, and the write is %d", acts[1].AfterSeq, late)
				}
			})
		})
	}
}

// TestRestOfCrashing: a controller that ends again and again as soon as there is an object shows
// nothing more. One that ended once may.
func TestRestOfCrashing(t *testing.T) {
	for crashes, fruitless := range map[int]bool{1: false, starts: true} {
		t.Run(fmt.Sprint(crashes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := history.New(nil, nil)
				v := &visitor{
					Plan:    Plan{Profile: &profile.Profile{}},
					session: &runner.Session{Recorder: recorder},
					dynamic: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{services: "ServiceList"}),
					record:  infer.Record{Kind: "Shop", Acts: []infer.Act{{Deed: infer.Create, Object: "demo"}}},
				}
				for range crashes {
					recorder.Event(history.Event{Scenario: Namespace, Reason: history.ReplicaCrashed, Message: "exited with status 2"})
				}
				err := v.rest(t.Context(), "demo")
				var got *Fruitless
				if errors.As(err, &got) != fruitless || !fruitless && err != nil {
					t.Fatalf("error %v", err)
				}
				if want := fmt.Sprintf("as soon as there is a Shop, the controller ends by itself, %d times: exited with status 2", starts); fruitless && !strings.HasPrefix(got.Reason, want) {
					t.Errorf("it says %q, want %q", got.Reason, want)
				}
			})
		})
	}
}
