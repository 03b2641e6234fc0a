package fault

import (
	"io"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestHalfAnswer checks that the client gets the head and the first half of an answer, and
// then an error. The next answer is whole.
func TestHalfAnswer(t *testing.T) {
	clients(t, func(t *testing.T, c *apiClient) {
		if err := c.create("demo"); err != nil {
			t.Fatal(err)
		}
		c.arm("half", []string{history.VerbGet, history.VerbList}, func(spec *v1alpha1.FaultSpec) {
			spec.Times, spec.Action.HalfAnswer = ptr.To[int32](3), &v1alpha1.Empty{}
		})
		client, err := rest.RESTClientFor(c.versioned())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Get().Namespace(c.own).Resource("configmaps").Name("demo").Stream(t.Context())
		if err != nil {
			t.Fatalf("the head of the answer: %v", err)
		}
		defer answer.Close()
		if half, err := io.ReadAll(answer); len(half) == 0 || err == nil {
			t.Errorf("the body: %d bytes, then %v", len(half), err)
		}
		if _, err := c.through.Get(t.Context(), "demo", metav1.GetOptions{}); err == nil {
			t.Error("half an object is taken for a whole one")
		}
		if _, err := c.through.List(t.Context(), metav1.ListOptions{}); err == nil {
			t.Error("half a list is taken for a whole one")
		}
		if all, err := c.through.List(t.Context(), metav1.ListOptions{}); err != nil || len(all.Items) == 0 {
			t.Errorf("the next list: %v", err)
		}
		c.wantRecorded("demo", "create 201 effective ", "get 503 none half", "get 503 none half")
	})
}
