package infer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestStandIns: numbers that harm nobody come first, then annotations, then labels. A
// map whose values are not texts does not count, and neither do variables.
func TestStandIns(t *testing.T) {
	texts := apiextensionsv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{
		Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"},
	}}
	numbers := apiextensionsv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{
		Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"},
	}}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	schema := object(map[string]apiextensionsv1.JSONSchemaProps{"spec": object(map[string]apiextensionsv1.JSONSchemaProps{
		"annotations": texts, "environment": texts, "labelWeights": numbers, "other": {Type: "integer"},
		"pod": object(map[string]apiextensionsv1.JSONSchemaProps{"podLabels": texts, "terminationGracePeriodSeconds": {Type: "integer"}}),
	})})
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schema}}
	want := []FieldChange{
		{"spec.pod.terminationGracePeriodSeconds", int64(4)}, {"spec.annotations.number", "n3"}, {"spec.pod.podLabels.number", "n3"},
	}
	if diff := cmp.Diff(want, StandIns(version, map[string]any{})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestFindStandIn: if no field decides about the number of replicas, a field whose
// value the main child shows stands in for it.
func TestFindStandIn(t *testing.T) {
	const child = "kind: %s\nmetadata: {name: shop-web}\nspec: {replicas: 1, selector: {}, template: {metadata: {annotations: {%s}}, spec: {%s}}}"
	annotation := v1alpha1.Field{Path: "spec.annotations.number", Format: "n{{ .value }}"}
	for name, tc := range map[string]struct {
		kind, path   string
		to           any
		after, spec  string // in the child afterwards: its annotations, and the spec of its Pods
		known        *v1alpha1.Field
		unfit        bool
		want         *v1alpha1.Field
		shown        string
		wantWorkload bool
	}{
		"an annotation that is passed on": {
			kind: "Deployment", path: "spec.annotations.number", to: "n3", after: "number: n3",
			want: &annotation, shown: "spec.template.metadata.annotations.number", wantWorkload: true,
		},
		"one of a DaemonSet": {
			kind: "DaemonSet", path: "spec.annotations.number", to: "n3", after: "number: n3",
			want: &annotation, shown: "spec.template.metadata.annotations.number", wantWorkload: true,
		},
		"a number that is passed on": {
			kind: "Deployment", path: "spec.grace", to: int64(4), spec: "terminationGracePeriodSeconds: 4",
			want: &v1alpha1.Field{Path: "spec.grace"}, shown: "spec.template.spec.terminationGracePeriodSeconds", wantWorkload: true,
		},
		"one that is not passed on":    {kind: "Deployment", path: "spec.annotations.number", to: "n3"},
		"one that did not fit":         {kind: "Deployment", path: "spec.annotations.number", to: "n3", after: "number: n3", unfit: true},
		"another text":                 {kind: "Deployment", path: "spec.title", to: "a-look", after: "title: a-look"},
		"a number in a list":           {kind: "Deployment", path: "spec.uid", to: int64(4), spec: "tolerations: [{tolerationSeconds: 4}]"},
		"a child that has no status":   {kind: "CronJob", path: "spec.annotations.number", to: "n3", after: "number: n3"},
		"a field that sets the number": {kind: "Deployment", path: "spec.annotations.number", to: "n3", after: "number: n3", known: &v1alpha1.Field{Path: "spec.size"}, want: &v1alpha1.Field{Path: "spec.size"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", Film: NewFilm([]Frame{
				frame(t, 1, "kind: Shop\nmetadata: {name: shop}"), frame(t, 2, fmt.Sprintf(child, tc.kind, "", "")), frame(t, 11, fmt.Sprintf(child, tc.kind, tc.after, tc.spec)),
			})}
			r.Acts = []Act{
				{Deed: Create, Object: "shop", After: 0, Until: 9, AfterSeq: 0, UntilSeq: 5},
				{Deed: Change, Object: "shop", Path: tc.path, To: tc.to, After: 9, Until: 19, AfterSeq: 5, UntilSeq: 9},
			}
			r.Account.Requests = append(r.Account.Requests, created(1, "deployments", tc.kind+"/shop-web"))
			if tc.unfit {
				r.Unfit = []Unfit{{Role: RoleReplicas, Path: tc.path}}
			}
			f := &finder{Record: r, fields: map[Role]mapped{}, workload: r.MainWorkload()}
			f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
			f.Spec.Contract.Spec.Replicas = tc.known
			f.findStandIn()
			f.findStandInWorkload()
			if diff := cmp.Diff(tc.want, f.Spec.Contract.Spec.Replicas); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
			workload := f.Spec.Contract.Children.Deployment.Workload
			if (workload != nil) != tc.wantWorkload || workload != nil && workload.Replicas != tc.shown {
				t.Errorf("workload: %+v, want the number at %q", workload, tc.shown)
			}
		})
	}
}
