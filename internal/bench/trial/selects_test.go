package trial

import (
	stdcmp "cmp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// owned returns an object as the only version of it, with an owner if one is given.
func owned(t *testing.T, key, text string, owner types.UID) version {
	t.Helper()
	resource, name, _ := strings.Cut(key, " ")
	v := version{resource: resource, Unstructured: &unstructured.Unstructured{}}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "%", name)), &v.Object); err != nil {
		t.Fatal(err)
	}
	v.SetName(name)
	if owner != "" {
		v.SetOwnerReferences([]metav1.OwnerReference{{Kind: "WebApp", UID: owner}})
	}
	return v
}

// TestSelectsHarm: a child must not select the Pods of its owner and of another object.
func TestSelectsHarm(t *testing.T) {
	const (
		shared  = "{spec: {selector: {matchLabels: {app: webapp}}, template: {metadata: {labels: {app: webapp, name: %}}}}}"
		apart   = "{spec: {selector: {matchLabels: {app: webapp, name: %}}, template: {metadata: {labels: {app: webapp, name: %}}}}}"
		service = "{spec: {selector: {app: webapp}}}"
	)
	const one, two = "deployments.apps demo", "deployments.apps demo-2"
	type children map[string][2]string // by key: the object, and the UID of its owner
	for name, tc := range map[string]struct {
		children children
		spec     string // of both objects
		gone     string
		want     []string
	}{
		"each has its own":                 {children: children{one: {apart, "1"}, two: {apart, "2"}}},
		"workloads":                        {children: children{one: {shared, "1"}, two: {shared, "2"}}, want: []string{one, two}},
		"one of the two":                   {children: children{one: {shared, "1"}, two: {apart, "2"}}, want: []string{one}},
		"a Service":                        {children: children{one: {apart, "1"}, two: {apart, "2"}, "services demo": {service, "1"}}, want: []string{"services demo"}},
		"a Service for all":                {children: children{one: {apart, "1"}, two: {apart, "2"}, "services all": {service, ""}}},
		"a Service without a selector":     {children: children{one: {apart, "1"}, two: {apart, "2"}, "services demo": {"{spec: {}}", "1"}}},
		"a Service for the Pods of others": {children: children{two: {apart, "2"}, "services demo": {service, "1"}}},
		"a budget for all Pods": {
			children: children{one: {apart, "1"}, two: {apart, "2"}, "poddisruptionbudgets.policy demo": {"{spec: {selector: {}}}", "1"}},
			want:     []string{"poddisruptionbudgets.policy demo"},
		},
		"expressions": {
			children: children{
				one: {apart, "1"}, two: {apart, "2"},
				"poddisruptionbudgets.policy demo": {"{spec: {selector: {matchExpressions: [{key: name, operator: In, values: [demo]}]}}}", "1"},
			},
		},
		"Pods, and those of a CronJob": {
			children: children{
				"pods demo": {"{metadata: {labels: {app: webapp}}}", "1"}, "services demo": {service, "1"},
				"cronjobs.batch demo-2": {"{spec: {jobTemplate: {spec: {template: {metadata: {labels: {app: webapp}}}}}}}", "2"},
			},
			want: []string{"services demo"},
		},
		"the user chose the labels":     {children: children{one: {shared, "1"}, two: {shared, "2"}}, spec: "{selector: {matchLabels: {app: webapp}}}"},
		"the user chose something else": {children: children{one: {shared, "1"}, two: {shared, "2"}}, spec: "{image: webapp:v1, ports: [{name: http}]}", want: []string{one, two}},
		"the user chose them in a list": {children: children{one: {shared, "1"}, two: {shared, "2"}}, spec: "{values: [{label: webapp}]}"},
		"two of one object":             {children: children{one: {shared, "1"}, two: {shared, "1"}}},
		"the other one is deleted":      {children: children{one: {shared, "1"}, two: {shared, "2"}}, gone: two},
	} {
		t.Run(name, func(t *testing.T) {
			spec := stdcmp.Or(tc.spec, "{}")
			versions := map[string][]version{
				"webapps demo": {owned(t, "webapps demo", "{metadata: {uid: '1'}, spec: "+spec+"}", "")}, "webapps demo-2": {owned(t, "webapps demo-2", "{metadata: {uid: '2'}, spec: "+spec+"}", "")},
			}
			for key, child := range tc.children {
				v := owned(t, key, child[0], types.UID(child[1]))
				v.gone = key == tc.gone
				versions[key] = []version{v}
			}
			var got []string
			for _, d := range selectsHarm(versions, []string{"webapps demo", "webapps demo-2"}) {
				got = append(got, d.Object)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("children (-want +got):\n%s", diff)
			}
		})
	}
}
