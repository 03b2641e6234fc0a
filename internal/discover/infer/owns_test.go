package infer

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOwns(t *testing.T) {
	r := &Record{Kind: "Shop", CRD: &apiextensionsv1.CustomResourceDefinition{
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{Group: "shops.example"},
	}}
	for name, tc := range map[string]struct {
		owner metav1.OwnerReference
		want  bool
	}{
		"its object":                 {metav1.OwnerReference{APIVersion: "shops.example/v1", Kind: "Shop", Name: "demo"}, true},
		"in another version":         {metav1.OwnerReference{APIVersion: "shops.example/v2", Kind: "Shop", Name: "demo"}, true},
		"another object":             {metav1.OwnerReference{APIVersion: "shops.example/v1", Kind: "Shop", Name: "other"}, false},
		"a Shop of another group":    {metav1.OwnerReference{APIVersion: "malls.example/v1", Kind: "Shop", Name: "demo"}, false},
		"another kind of that group": {metav1.OwnerReference{APIVersion: "shops.example/v1", Kind: "Mall", Name: "demo"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.Owns(tc.owner, "demo"); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
