package infer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestAskStatus: init asks only about fields that the CRD has, and suggests a line with
// such a field.
func TestAskStatus(t *testing.T) {
	const open = "nothing in the status was seen to be this: "
	all := []string{"readyReplicas", "phase", "serviceURL", "conditions", "observedGeneration"}
	for name, tc := range map[string]struct {
		status string
		seen   Status
		want   map[string]Question
	}{
		"the one field is mapped": {"{type: object, properties: {ready: {type: integer}}}", Status{Ready: "status.ready"}, map[string]Question{}},
		"the one field was never set": {"{type: object, properties: {ready: {type: integer}}}", Status{}, map[string]Question{
			"contract.status.readyReplicas": {open + "readyReplicas. Is something? The CRD has status.ready", []string{"readyReplicas: {path: status.ready}"}},
		}},
		"by name and by depth": {
			"{type: object, properties: {seenGeneration: {type: integer}, url: {type: string}, at: {type: object, properties: {state: {type: string}}}, list: {type: array}, conditions: {type: array}}}",
			Status{},
			map[string]Question{
				"contract.status.observedGeneration": {open + "observedGeneration. Is something? Then claims.features needs observed-generation, too. The CRD has status.seenGeneration", []string{"observedGeneration: {path: status.seenGeneration}"}},
				"contract.status.serviceURL":         {open + "serviceURL. Is something? The CRD has status.url", []string{"serviceURL: {path: status.url}"}},
				"contract.status.phase":              {open + "phase. Is something? Then claims.features needs phase, too. The CRD has status.at.state", []string{"phase: {path: status.at.state}"}},
				"contract.status.conditions":         {open + "conditions. Is something? Then claims.features needs conditions, too. The CRD has status.conditions", []string{"conditions: {path: status.conditions}"}},
			},
		},
		"the CRD says nothing": {"{type: object, x-kubernetes-preserve-unknown-fields: true}", Status{}, map[string]Question{
			"contract.status.readyReplicas":      {open + "readyReplicas. Is something?", []string{"readyReplicas: {path: status.readyReplicas}"}},
			"contract.status.phase":              {open + "phase. Is something? Then claims.features needs phase, too.", []string{"phase: {path: status.phase}"}},
			"contract.status.serviceURL":         {open + "serviceURL. Is something?", []string{"serviceURL: {path: status.serviceURL}"}},
			"contract.status.conditions":         {open + "conditions. Is something? Then claims.features needs conditions, too.", []string{"conditions: {path: status.conditions}"}},
			"contract.status.observedGeneration": {open + "observedGeneration. Is something? Then claims.features needs observed-generation, too.", []string{"observedGeneration: {path: status.observedGeneration}"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{}}
			if err := yaml.Unmarshal([]byte("{openAPIV3Schema: {type: object, properties: {status: "+tc.status+"}}}"), version.Schema); err != nil {
				t.Fatal(err)
			}
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: &Record{Version: version}, status: tc.seen}
			for _, field := range all {
				f.askStatus(field)
			}
			got := map[string]Question{}
			for path, questions := range f.Asked {
				got[path] = questions[0]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPortsOfNodes: a port of a Node is not taken for the port of a container or a Service, and is
// not tried as one.
func TestPortsOfNodes(t *testing.T) {
	schema := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"nodePort": {Type: "integer"}, "healthCheckNodePort": {Type: "integer"}, "hostPort": {Type: "integer"}, "httpPort": {Type: "integer"},
		}},
	}}
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schema}}
	var tried []string
	for _, change := range FieldChanges(version, map[string]any{}, nil) {
		tried = append(tried, change.Path)
	}
	if diff := cmp.Diff([]string{"spec.httpPort"}, tried); diff != "" {
		t.Errorf("tried (-want +got):\n%s", diff)
	}
	for path, want := range map[string]bool{"spec.ports[0].nodePort": false, "spec.hostPort": false, "spec.hostname.port": true, "spec.containerPort": true} {
		if got := isNamedFor(path, RolePort); got != want {
			t.Errorf("%s is named for the port: %v, want %v", path, got, want)
		}
	}
}
