package bench

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/fake"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestSweep: what a scenario has left without a namespace is removed, and what was there
// before stays.
func TestSweep(t *testing.T) {
	p, err := profile.Load("../../fixtures/profiles/teams.yaml")
	if err != nil {
		t.Fatal(err)
	}
	began := metav1.NewTime(time.Now().Truncate(time.Second))
	object := func(apiVersion, kind, name string, edit func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
		o := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}}
		o.Name, o.CreationTimestamp = name, began
		if edit != nil {
			edit(o)
		}
		return o
	}
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleMetadataClient(scheme,
		object("v1", "Namespace", "here", nil),
		object("tenancy.example.com/v1", "Team", "demo", nil),
		object("tenancy.example.com/v1", "Team", "set-up", func(o *metav1.PartialObjectMetadata) { o.CreationTimestamp = metav1.NewTime(began.Add(-time.Minute)) }),
		object("rbac.authorization.k8s.io/v1", "ClusterRole", "demo-role", nil),
		object("rbac.authorization.k8s.io/v1", "ClusterRole", "of-others", nil),
	)
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	created := history.Request{Verb: history.VerbCreate, Group: roles.Group, Version: roles.Version, Resource: roles.Resource, Name: "demo-role", Effect: history.EffectEffective}
	refused := created
	refused.Name, refused.Effect = "of-others", history.EffectRefused
	if err := sweep(t.Context(), client, p, "here", []history.Request{created, refused}); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, resource := range []schema.GroupVersionResource{{Group: "tenancy.example.com", Version: "v1", Resource: "teams"}, roles} {
		list, err := client.Resource(resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			left = append(left, list.Items[i].Name)
		}
	}
	if diff := cmp.Diff([]string{"set-up", "of-others"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}
