package objects

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestFindResource(t *testing.T) {
	var every meta.MultiRESTMapper
	for _, kind := range []schema.GroupVersionKind{
		{Group: "events.k8s.io", Version: "v1", Kind: "Event"},
		{Version: "v1", Kind: "Event"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps.kubedojo.io", Version: "v1beta1", Kind: "WebApp"},
	} {
		mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{kind.GroupVersion()})
		mapper.Add(kind, meta.RESTScopeNamespace)
		every = append(every, mapper)
	}
	for name, want := range map[string]string{
		"deployments":              "deployments.apps",
		"deployments.apps":         "deployments.apps",
		"webapps.apps.kubedojo.io": "webapps.apps.kubedojo.io",
		"events":                   "events",
		"events.events.k8s.io":     "events.events.k8s.io",
	} {
		mapping, err := FindResource(every, name)
		if err != nil || mapping.Resource.GroupResource().String() != want {
			t.Errorf("%s: %v, %v; want %s", name, mapping, err, want)
		}
	}
	_, err := FindResource(every, "things.example.com")
	if want := `finding resource "things.example.com": no matches for example.com/, Resource=things (give plural or plural.group)`; err == nil || err.Error() != want {
		t.Errorf("error: %v, want %s", err, want)
	}
}
