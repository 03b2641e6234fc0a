package objects

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestAdmission(t *testing.T) {
	for name, tc := range map[string]struct {
		present []client.Object
		err     error // of the actor
		edit    func(*admission.Request)
		calls   []string
		refused string
		inForce types.UID
	}{
		"created":       {calls: []string{"admit new"}, inForce: "new"},
		"refused":       {err: errors.New("there is no resource things"), calls: []string{"admit new"}, refused: "there is no resource things"},
		"a dry run":     {edit: func(r *admission.Request) { r.DryRun = ptr.To(true) }, calls: []string{"check new"}},
		"no dry run":    {edit: func(r *admission.Request) { r.DryRun = ptr.To(false) }, calls: []string{"admit new"}, inForce: "new"},
		"name is taken": {present: []client.Object{pod("old")}},
		"unknown kind":  {edit: func(r *admission.Request) { r.Kind.Kind = "Secret" }},
		"an update":     {edit: func(r *admission.Request) { r.Operation = admissionv1.Update }},
		"a deletion":    {edit: func(r *admission.Request) { r.Operation = admissionv1.Delete }},
		"no object": {
			edit:    func(r *admission.Request) { r.Object.Raw = []byte(`{"metadata": 3}`) },
			refused: "reading the pod: json: cannot unmarshal number into Go struct field Pod.metadata of type v1.ObjectMeta",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, tc.present...)
			s.actor.err = tc.err
			request := creation(t, "new")
			if tc.edit != nil {
				tc.edit(&request)
			}
			response := s.admission.Handle(t.Context(), request)
			if response.Allowed != (tc.refused == "") {
				t.Errorf("allowed: %t", response.Allowed)
			}
			if tc.refused != "" && (response.Result.Code != http.StatusForbidden || response.Result.Message != tc.refused) {
				t.Errorf("refused with %+v, want %q", response.Result, tc.refused)
			}
			if diff := cmp.Diff(tc.calls, s.actor.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got := s.actor.inForce[demo]; got != tc.inForce {
				t.Errorf("in force is %q, want %q", got, tc.inForce)
			}
		})
	}
}

// TestFailedReadIsNoRefusal: if the read for an admission fails, that says nothing
// about the object.
func TestFailedReadIsNoRefusal(t *testing.T) {
	s := newStage(t)
	broken := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("no answer")
		},
	}).Build()
	s.admission.kinds["Pod"].(*admitter[*corev1.Pod]).reader = broken
	response := s.admission.Handle(t.Context(), creation(t, "new"))
	if response.Allowed || response.Result.Code != http.StatusInternalServerError || response.Result.Message != "looking for another object of that name: no answer" {
		t.Errorf("response: %+v", response.Result)
	}
	if len(s.actor.calls) > 0 {
		t.Errorf("calls: %v", s.actor.calls)
	}
}
