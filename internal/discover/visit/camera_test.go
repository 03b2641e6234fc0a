package visit

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/internal/discover/infer"
)

// TestFilmOfTwoStreams: the API server ends a watch now and then. The film goes on at the
// version where it was. If versions are missing, the film is no evidence.
func TestFilmOfTwoStreams(t *testing.T) {
	gone := &metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: 410, Message: "too old resource version"}
	for name, tc := range map[string]struct {
		second watch.Event
		frames int
		lost   bool
	}{
		"it goes on":              {watch.Event{Type: watch.Modified, Object: aService(12)}, 2, false},
		"what came is no more":    {watch.Event{Type: watch.Error, Object: gone}, 1, true},
		"somebody has deleted it": {watch.Event{Type: watch.Deleted, Object: aService(12)}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{services: "ServiceList"})
			client.PrependReactor("list", "services", func(clienttesting.Action) (bool, runtime.Object, error) {
				list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceList"}}
				list.SetResourceVersion("10")
				return true, list, nil
			})
			var asked []string
			client.PrependWatchReactor("services", func(action clienttesting.Action) (bool, watch.Interface, error) {
				asked = append(asked, action.(clienttesting.WatchActionImpl).ListOptions.ResourceVersion)
				stream := watch.NewFakeWithChanSize(1, false)
				switch len(asked) {
				case 1:
					stream.Add(aService(11))
					stream.Stop() // its time is over
				case 2:
					stream.Action(tc.second.Type, tc.second.Object)
				}
				return true, stream, nil
			})
			var c camera
			if err := c.film(t.Context(), client, Namespace, services); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.ended.Wait)
			as := func() bool { return len(c.filmed()) == tc.frames && (c.broken() != nil) == tc.lost }
			for until := time.Now().Add(5 * time.Second); !as() && time.Now().Before(until); {
				time.Sleep(look)
			}
			if got := len(c.filmed()); got != tc.frames || (c.broken() != nil) != tc.lost {
				t.Errorf("%d frames, want %d; it is broken: %v", got, tc.frames, c.broken())
			}
		})
	}
}

// TestBesides: what is called like the primary kind would take its place in the film.
func TestBesides(t *testing.T) {
	all := besides(&infer.Record{Kind: "Shop"})
	for kind, without := range map[string]string{"Service": "services", "Event": "events", "CronJob": "cronjobs", "Deployment": "deployments"} {
		var names []string
		for _, resource := range besides(&infer.Record{Kind: kind}) {
			names = append(names, resource.Resource)
		}
		if slices.Contains(names, without) || len(names) != len(all)-1 {
			t.Errorf("%s: %v", kind, names)
		}
	}
}

func aService(version int) *unstructured.Unstructured {
	service := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service"}}
	service.SetName("demo")
	service.SetUID("one")
	service.SetResourceVersion(fmt.Sprint(version))
	return service
}
