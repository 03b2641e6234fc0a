package render

import (
	"errors"
	"strings"
	"testing"
)

// If the resource of a controller has no namespace, an object of a scenario names the
// scenario's namespace in its fields. Two namespaces cannot be had. A Trial names the objects
// itself.
func TestAnyControllerWithoutNamespace(t *testing.T) {
	const head = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: x-1, labels: {reconform.dev/any: "true"}}
spec:
  steps:
`
	const trial = "{apiVersion: reconform.dev/v1alpha1, kind: Trial, metadata: {name: trial}, spec: {resources: [teams.tenancy.example.com], operations: " +
		"[{create: {object: {apiVersion: tenancy.example.com/v1, kind: Team, metadata: {name: demo}, spec: {namespace: \"{{ .namespace }}\"}}}}]}}"
	const webApp = "{apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {image: a, replicas: 2, port: 80}}"
	for name, tc := range map[string]struct {
		operation, want string
		skipped         bool
	}{
		"a Trial":   {"create: {resource: " + trial + "}", "{{ .namespace }}", false},
		"an object": {"create: {resource: " + webApp + "}", "namespace: ($namespace)", false},
		"an object in another namespace": {
			"create: {resource: " + strings.Replace(webApp, "{name: demo}", "{name: demo, namespace: other}", 1) + "}", "", true,
		},
		"a Load of objects": {
			"create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Load, metadata: {name: l}, spec: {action: Create, count: 2, template: " + webApp + "}}}", "namespace: ($namespace)", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := parse("x.yaml", []byte(head+"  - name: When it is done\n    try:\n    - "+tc.operation+"\n  - name: Then it is as it must be\n    try:\n    - assert: {resource: {apiVersion: reconform.dev/v1alpha1, "+
				"kind: Trial, metadata: {name: trial}, status: {verdict: Met}}}\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			rendered, err := Render(s, builtin(t, "teams"))
			var skip *Skip
			if tc.skipped {
				if !errors.As(err, &skip) || skip.Reason != clusterScoped {
					t.Errorf("got %v, want it skipped", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			document, err := rendered.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(document), tc.want) {
				t.Errorf("no %q in\n%s", tc.want, document)
			}
		})
	}
}
