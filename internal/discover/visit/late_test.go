package visit

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"reconform.dev/reconform/internal/discover/infer"
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
