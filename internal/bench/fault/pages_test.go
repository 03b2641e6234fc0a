package fault

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestPages checks that a list has pages of one object each, that only those after the
// first can be hit apart, and that there are no streaming lists.
func TestPages(t *testing.T) {
	clients(t, func(t *testing.T, c *apiClient) {
		for _, name := range []string{"a", "b"} {
			if err := c.create(name); err != nil {
				t.Fatal(err)
			}
		}
		c.arm("expired", []string{history.VerbList}, func(spec *v1alpha1.FaultSpec) {
			spec.Match.Continues, spec.Times = true, ptr.To(int32(1))
			spec.Action.Respond = &v1alpha1.Respond{Code: 410}
		})
		c.arm("pages", []string{history.VerbList, history.VerbWatch}, func(spec *v1alpha1.FaultSpec) {
			spec.Action.Pages = &v1alpha1.Empty{}
		})
		first, err := c.through.List(t.Context(), metav1.ListOptions{Limit: 500, ResourceVersion: "0"})
		if err != nil || len(first.Items) != 1 || first.Continue == "" {
			t.Fatalf("the first page has %d objects, and %q continues it (%v)", len(first.Items), first.Continue, err)
		}
		next := metav1.ListOptions{Limit: 500, Continue: first.Continue}
		if _, err := c.through.List(t.Context(), next); !apierrors.IsResourceExpired(err) {
			t.Errorf("the next page: %v", err)
		}
		if second, err := c.through.List(t.Context(), next); err != nil || len(second.Items) != 1 {
			t.Errorf("the next page again: %v", err)
		}
		if all, err := c.through.List(t.Context(), metav1.ListOptions{}); err != nil || len(all.Items) < 2 {
			t.Errorf("a list without a limit: %v", err)
		}
		if _, err := c.through.Watch(t.Context(), metav1.ListOptions{
			SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
		}); !apierrors.IsInvalid(err) {
			t.Errorf("a streaming list: %v", err)
		}
	})
}
