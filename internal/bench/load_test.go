package bench_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func loadOf(namespace, name string, action v1alpha1.LoadAction, count int32, template string) *v1alpha1.Load {
	l := &v1alpha1.Load{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	l.Spec = v1alpha1.LoadSpec{Action: action, Count: count}
	l.Spec.Template.Raw = []byte(template)
	return l
}

func loadEnded(l *v1alpha1.Load) bool {
	return l.Status.Phase == v1alpha1.LoadDone || l.Status.Phase == v1alpha1.LoadFailed
}

const loadTemplate = `{"apiVersion": "apps.kubedojo.io/v1beta1", "kind": "WebApp", "metadata": {"name": "demo"},
	"spec": {"image": "a:v{{ .i }}", "replicas": "{{ add (mod .i 3) 1 }}"}}`

func TestLoad(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	create(t, webApp(ns, "demo", "a:1"))
	load := create(t, loadOf(ns, "create", v1alpha1.LoadCreate, 40, loadTemplate))
	await(t, load, "at its end", loadEnded)
	if s := load.Status; s.Phase != v1alpha1.LoadDone || s.Done != 40 {
		t.Fatalf("status: %+v", s)
	}
	apps := &unstructured.UnstructuredList{}
	apps.SetAPIVersion("apps.kubedojo.io/v1beta1")
	apps.SetKind("WebAppList")
	if err := stage.client.List(t.Context(), apps, client.InNamespace(ns)); err != nil || len(apps.Items) != 41 {
		t.Errorf("%d WebApps, %v", len(apps.Items), err)
	}

	edit := create(t, loadOf(ns, "edit", v1alpha1.LoadEdit, 30, loadTemplate))
	await(t, edit, "at its end", loadEnded)
	app := webApp(ns, "demo", "")
	await(t, app, "as the last edit says", func(o *unstructured.Unstructured) bool {
		image, _, _ := unstructured.NestedString(o.Object, "spec", "image")
		return image == "a:v29" && o.GetGeneration() == 31
	})
}

func TestLoadThatFails(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	create(t, webApp(ns, "taken-2", "a:1"))
	for name, tc := range map[string]struct {
		template, want string
	}{
		"taken":   {strings.ReplaceAll(loadTemplate, `"demo"`, `"taken"`), `creating WebApp taken-2: webapps.apps.kubedojo.io "taken-2" already exists`},
		"refused": {strings.ReplaceAll(loadTemplate, "add (mod .i 3) 1", "mul .i 1"), "creating WebApp demo-0: "},
	} {
		load := create(t, loadOf(ns, name, v1alpha1.LoadCreate, 200, tc.template))
		await(t, load, "at its end", loadEnded)
		if s := load.Status; s.Phase != v1alpha1.LoadFailed || !strings.Contains(s.Message, tc.want) || s.Done > 190 {
			t.Errorf("%s: %+v, want %q", name, s, tc.want)
		}
	}
	refused(t, loadOf(ns, "nothing", v1alpha1.LoadCreate, 1, `{"apiVersion": "v1", "kind": "Nothing", "metadata": {"name": "a"}}`),
		"finding the resource of v1 Nothing")
}
