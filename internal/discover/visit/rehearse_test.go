package visit

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

// TestRefusedRole: a field is taken back if the API server refuses the value that scenarios give it,
// and not if it only lacks one, or if another field is refused.
func TestRefusedRole(t *testing.T) {
	fields := map[string]v1alpha1.Field{
		"image": {Path: "spec.image"}, "port": {Path: "spec.web.port"}, "replicas": {},
	}
	for problem, want := range map[string]infer.Role{
		`it refuses it: Shop "x" is invalid: spec.image: Unsupported value: "v1": supported values: "a", "b"`:                                        infer.RoleImage,
		`it refuses it: Shop "x" is invalid: spec.image: Invalid value: "v1": should match '^a$'`:                                                    infer.RoleImage,
		`it refuses it: Shop "x" is invalid: [spec.host: Required value, spec.web.port: Unsupported value: 9090: supported values: "80"]`:            infer.RolePort,
		`it refuses it: Shop "x" is invalid: spec.image: Required value`:                                                                             "",
		`it refuses it: Shop "x" is invalid: spec.host: Invalid value: "spec.image"`:                                                                 "",
		`it refuses it: Shop "x" is invalid: spec.web.portName: Invalid value: "a"`:                                                                  "",
		`it refuses it: Shop "x" is invalid: spec: Invalid value: "object": image and port must not both be set`:                                     "",
		`the API server refused what the controller wrote then: #3 create deployments x: 422 spec.replicas: Invalid value: -1: must not be negative`: "",
	} {
		if got := refusedRole(fields, problem); got != want {
			t.Errorf("%s: %q, want %q", problem, got, want)
		}
	}
}
