package trial

import (
	"errors"
	"io"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestRefusedOperation: if the schema or a webhook refuses an operation, such as the creation of an
// object with a long name, the Trial never got there. Another error is one of the bench.
func TestRefusedOperation(t *testing.T) {
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	for name, tc := range map[string]struct {
		err  error
		want v1alpha1.TrialPhase
	}{
		"the schema":    {apierrors.NewInvalid(schema.GroupKind{Kind: "Service"}, "demo", nil), v1alpha1.TrialDone},
		"a webhook":     {apierrors.NewForbidden(services.GroupResource(), "demo", errors.New("the name is too long")), v1alpha1.TrialDone},
		"no such field": {apierrors.NewBadRequest("unknown field"), v1alpha1.TrialDone},
		"the bench":     {apierrors.NewInternalError(errors.New("etcd is away")), v1alpha1.TrialInvalid},
	} {
		client := fake.NewSimpleDynamicClient(runtime.NewScheme())
		client.PrependReactor("create", "services", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, tc.err })
		r := &run{
			Controller: &Controller{Dynamic: client, Recorder: history.New(io.Discard, nil), Profile: func(string) *profile.Profile { return &profile.Profile{} }},
			namespace:  "a",
		}
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service"}}
		object.SetName("demo")
		o := operation{TrialOperation: v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{}}, resource: services, name: "demo", object: object}
		r.end(t.Context(), r.do(t.Context(), o))
		if r.done.Phase != tc.want || r.done.Verdict != v1alpha1.JudgementInvalid || r.done.Message == "" {
			t.Errorf("%s: %s, %s: %s", name, r.done.Phase, r.done.Verdict, r.done.Message)
		}
	}
}
