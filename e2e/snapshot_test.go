package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// restWithin bounds how long a cluster may take to come to rest.
const restWithin = 3 * time.Minute

// everything is all objects of the cluster, once it is at rest.
func everything(t *testing.T, config *envconf.Config) map[string]string {
	t.Helper()
	now := objects(t, config)
	err := wait.PollUntilContextTimeout(t.Context(), 2*time.Second, restWithin, false, func(context.Context) (bool, error) {
		before := now
		now = objects(t, config)
		return cmp.Equal(before, now), nil
	})
	if err != nil {
		t.Fatal("waiting for the cluster to come to rest:", err)
	}
	return now
}

// await fails the test if the cluster does not become again what it was.
func await(t *testing.T, config *envconf.Config, before map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, everything(t, config)); diff != "" {
		t.Errorf("objects of the cluster (-before +after):\n%s", diff)
	}
}

// passing are kinds whose objects come and go by themselves.
var passing = []string{"events", "leases", "componentstatuses"}

// objects of a cluster, as JSON, except for what changes by itself.
func objects(t *testing.T, config *envconf.Config) map[string]string {
	t.Helper()
	access := config.Client().RESTConfig()
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(access).ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		t.Fatal(err)
	}
	client, found := dynamic.NewForConfigOrDie(access), map[string]string{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || slices.Contains(passing, resource.Name) {
				continue
			}
			all, err := client.Resource(version.WithResource(resource.Name)).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				continue // its definition is going
			}
			for _, object := range all.Items {
				for _, path := range [][]string{
					{"metadata", "managedFields"},
					{"metadata", "resourceVersion"},
					{"metadata", "generation"},
					{"status"},
					{"metadata", "annotations", "control-plane.alpha.kubernetes.io/leader"},
				} {
					unstructured.RemoveNestedField(object.Object, path...)
				}
				text, err := json.Marshal(object.Object)
				if err != nil {
					t.Fatal(err)
				}
				found[resource.Name+"."+version.Group+" "+object.GetNamespace()+"/"+object.GetName()] = string(text)
			}
		}
	}
	return found
}
