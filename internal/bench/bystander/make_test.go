package bystander

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// made are the bystanders of a crowd, as kind/name and their controllers.
func made(t *testing.T, crowd Crowd) map[string]unstructured.Unstructured {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{{Version: "v1", Resource: "configmaps"}: "ConfigMapList"}
	for _, k := range kinds() {
		lists[k.GroupVersionResource] = k.kind + "List"
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
	for range 2 { // those that are there already stay
		if err := Make(t.Context(), client, crowd); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]unstructured.Unstructured{}
	for resource := range lists {
		list, err := client.Resource(resource).Namespace(crowd.Namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			if item.GetName() != owner {
				found[item.GetKind()+"/"+item.GetName()] = item
			}
		}
	}
	return found
}

func only(names ...string) func(schema.GroupResource) bool {
	return func(resource schema.GroupResource) bool { return slices.Contains(names, resource.String()) }
}

func TestWhichAreMade(t *testing.T) {
	labels := map[string]string{"app": "demo"}
	for name, tc := range map[string]struct {
		crowd Crowd
		want  []string
	}{
		"one kind":         {Crowd{Prefix: "demo", Labels: labels, Kinds: only("services")}, []string{"Service/demo-somebody-elses"}},
		"nobody's, too":    {Crowd{Prefix: "demo", Labels: labels, Kinds: only("services"), Unowned: true}, []string{"Service/demo-nobodys", "Service/demo-somebody-elses"}},
		"no Pod of nobody": {Crowd{Prefix: "demo", Labels: labels, Kinds: only("pods"), Unowned: true}, []string{"Pod/demo-somebody-elses"}},
		"two kinds": {
			Crowd{Prefix: "demo", Labels: labels, Kinds: only("deployments.apps", "configmaps")},
			[]string{"ConfigMap/demo-somebody-elses", "Deployment/demo-somebody-elses"},
		},
		"namesakes": {
			Crowd{Prefix: "demo", Kinds: only("poddisruptionbudgets.policy", "configmaps"), Namesakes: []Namesake{
				{Of: schema.GroupResource{Group: "policy", Resource: "poddisruptionbudgets"}, Name: "demo"},
				{Of: schema.GroupResource{Resource: "persistentvolumeclaims"}, Name: "demo-data"},
				// It may make that one itself, as soon as there is something in it.
				{Of: schema.GroupResource{Resource: "configmaps"}, Name: "demo", OfWorkload: true},
				{Of: schema.GroupResource{Group: "apps", Resource: "deployments"}, Name: "demo", OfWorkload: true},
				{Of: schema.GroupResource{Group: "apps", Resource: "statefulsets"}, Name: "demo-proxy"}, // this one, too
			}},
			[]string{
				"ConfigMap/demo-somebody-elses", "Deployment/demo", "PersistentVolumeClaim/demo-data", "PodDisruptionBudget/demo", "PodDisruptionBudget/demo-somebody-elses",
			},
		},
		"a kind that none can be of": {Crowd{Prefix: "demo", Kinds: only("jobs.batch")}, nil},
		"a long name": {
			Crowd{Prefix: strings.Repeat("x", 63), Kinds: only("services")}, []string{"Service/" + strings.Repeat("x", longestPrefix) + "-somebody-elses"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.crowd.Namespace = "s"
			var got []string
			for called, object := range made(t, tc.crowd) {
				got = append(got, called)
				want := map[string]string{v1alpha1.LabelBystander: "true"}
				for key, value := range tc.crowd.Labels {
					want[key] = value
				}
				if diff := cmp.Diff(want, object.GetLabels()); diff != "" {
					t.Errorf("labels of %s (-want +got):\n%s", called, diff)
				}
				if controlled := metav1.GetControllerOf(&object) != nil; controlled == strings.HasSuffix(called, "-nobodys") {
					t.Errorf("%s is controlled: %t", called, controlled)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("bystanders (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoneDoesAnything: a bystander has no Pods, does not select those of a child, and
// differs from all other bystanders.
func TestNoneDoesAnything(t *testing.T) {
	crowd := Crowd{Namespace: "s", Prefix: "demo", Labels: map[string]string{"app": "demo"}, Kinds: func(schema.GroupResource) bool { return true }}
	found := made(t, crowd)
	if len(found) != len(kinds())-1 { // of claims, there are only namesakes
		t.Errorf("%d bystanders of %d kinds", len(found), len(kinds()))
	}
	for called, object := range found {
		if replicas, ok, _ := unstructured.NestedInt64(object.Object, "spec", "replicas"); ok && replicas != 0 {
			t.Errorf("%s has %d replicas", called, replicas)
		}
		if suspended, _, _ := unstructured.NestedBool(object.Object, "spec", "suspend"); object.GetKind() == "CronJob" && !suspended {
			t.Errorf("%s is not suspended", called)
		}
		if gates, _, _ := unstructured.NestedSlice(object.Object, "spec", "schedulingGates"); object.GetKind() == "Pod" && len(gates) == 0 {
			t.Errorf("a node may run %s", called)
		}
		if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); object.GetKind() == "Pod" && phase != "Running" {
			t.Errorf("the phase of %s is %q: nobody counts it", called, phase)
		}
		for _, path := range [][]string{{"spec", "selector", "matchLabels"}, {"spec", "podSelector", "matchLabels"}, {"spec", "selector"}} {
			if selected, _, _ := unstructured.NestedString(object.Object, append(path, "app")...); selected != "" {
				t.Errorf("%s selects the Pods of a child", called)
			}
		}
	}
}

// TestTake: an object of somebody else gets the name of a child, if there are bystanders of
// its kind.
func TestTake(t *testing.T) {
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		{Version: "v1", Resource: "configmaps"}: "ConfigMapList", {Version: "v1", Resource: "services"}: "ServiceList",
	})
	services := schema.GroupResource{Resource: "services"}
	if err := Take(t.Context(), client, "s", services, "demo"); err != nil {
		t.Fatal(err)
	}
	taken, err := client.Resource(services.WithVersion("v1")).Namespace("s").Get(t.Context(), "demo", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if by := metav1.GetControllerOf(taken); by == nil || by.Name != owner {
		t.Errorf("it is controlled by %v", by)
	}
	if diff := cmp.Diff(map[string]string{v1alpha1.LabelBystander: "true"}, taken.GetLabels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if err := Take(t.Context(), client, "s", services, "demo"); err == nil {
		t.Error("an object that is there already was taken for one of somebody else")
	}
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	if err := Take(t.Context(), client, "s", jobs, "demo"); err == nil || Has(jobs) || !Has(services) {
		t.Errorf("of jobs there are none: %v", err)
	}
}
