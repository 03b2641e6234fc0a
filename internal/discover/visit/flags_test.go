package visit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// TestInFlags: while there is no profile yet, problems are reported with the flags of
// init, and not with fields of the profile.
func TestInFlags(t *testing.T) {
	place := &Place{CRDs: []string{"a", "b"}, RBAC: []string{"config/rbac", "more"}, ServiceAccount: "manager", Webhooks: "hooks", Readable: []string{"venv", "modules"}}
	var problems strictyaml.Problems
	for _, field := range []string{
		"spec.install.crds[1]", "spec.install.rbac", "spec.install.rbac[0]", "spec.install.serviceAccount", "spec.install.webhooks[0]",
		"spec.launch.command[0]", "spec.launch.readable[1]", "spec.contract.resource", "spec.launch.webhook.conversion", "spec.claims.times",
	} {
		problems = append(problems, strictyaml.Problem{File: "profile.yaml", Line: 1, Field: field, Message: "is wrong"})
	}
	problems = append(problems, strictyaml.Problem{File: "profile.yaml", Field: "spec.install.rbac[1]", Message: "no such file: more"})
	got := strings.Split(place.inFlags(problems).Error(), "\n")
	for _, want := range []string{
		"--crd b: is wrong", "--rbac config/rbac more: is wrong", "--rbac config/rbac: is wrong", "--service-account manager: is wrong",
		"--webhooks hooks: is wrong", "the command: is wrong", "--readable modules: is wrong", "--crd a b: is wrong", "--webhooks hooks: is wrong",
		"profile.yaml:1: spec.claims.times: is wrong", "--rbac: no such file: more",
	} {
		if !strings.Contains(strings.Join(got, "\n")+"\n", want+"\n") {
			t.Errorf("missing %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if other := errors.New("another"); !errors.Is(place.inFlags(other), other) || place.inFlags(nil) != nil {
		t.Error("another error is not kept")
	}
}

// TestInFlag: a message names a file once.
func TestInFlag(t *testing.T) {
	for _, tc := range []struct{ message, want string }{
		{"no such file: crd.yaml", "--crd: no such file: crd.yaml"},
		{"crd.yaml:3: is wrong", "--crd: crd.yaml:3: is wrong"},
		{"no CRD in it", "--crd crd.yaml: no CRD in it"},
		{"no such file: old-crd.yaml", "--crd crd.yaml: no such file: old-crd.yaml"},
	} {
		if diff := cmp.Diff(tc.want, inFlag("--crd", "crd.yaml", errors.New(tc.message)).Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.message, diff)
		}
	}
}
