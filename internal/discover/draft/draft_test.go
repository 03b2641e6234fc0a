package draft

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
)

// TestWrite: what is written is a profile, with what is known beside it.
func TestWrite(t *testing.T) {
	found := &infer.Findings{
		Notes: map[string]infer.Note{
			"contract.spec.image":    {Basis: infer.Seen, Text: "with spec.image: v2,\nit # followed"},
			"claims.unowned":         {Basis: infer.Guessed, Text: "refuse or adopt?"},
			"claims.features.sigint": {Basis: infer.Seen, Text: "SIGINT ended it"},
		},
		Asked: map[string][]string{"contract.spec.env": {"env: {path: spec.…}"}, "claims.features": {"not tried: fenced"}},
	}
	spec := &found.Spec
	spec.Implementation.Name = "mine"
	spec.Contract.Resource = v1alpha1.PrimaryResource{Group: "example.com", Version: "v1", Kind: "Shop", Plural: "shops"}
	spec.Contract.Spec.Image = &v1alpha1.Field{Path: "spec.image"}
	spec.Contract.Children.Deployment = v1alpha1.DeploymentChild{Name: "{{ .name }}", Container: "web"}
	spec.Claims = v1alpha1.Claims{Features: []v1alpha1.Feature{"sigint"}, Unowned: v1alpha1.OwnershipRefuse, Cleanup: "gc"}
	spec.Claims.Times.LongestRetryPause = metav1.Duration{Duration: time.Minute}
	spec.Install = v1alpha1.Install{CRDs: []string{"crd.yaml"}, RBAC: []string{"rbac.yaml"}}
	spec.Launch.Command = []string{"bin/mine", "--yes=true"}

	text, err := Write("mine", found)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"image: {path: spec.image} # seen: with spec.image: v2, it # followed\n",
		"# ? env: {path: spec.…}\n",
		"unowned: refuse # guessed: refuse or adopt?\n",
		"- sigint # seen: SIGINT ended it\n",
		"# ? not tried: fenced\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "resync") || strings.Contains(string(text), "null") {
		t.Errorf("it says what is not known:\n%s", text)
	}
	p, err := profile.Parse("mine.yaml", text)
	if err != nil {
		t.Fatalf("what is written is no profile: %v\n%s", err, text)
	}
	if got := p.Spec.Contract.Children.Deployment.Container; got != "web" {
		t.Errorf("container %q", got)
	}
}
