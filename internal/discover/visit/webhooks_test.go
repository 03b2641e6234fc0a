package visit

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

// TestServesWebhooks: a controller serves webhooks if there are configurations of them, or if
// the CRD names a conversion and a flag or a variable the folder of the certificate.
func TestServesWebhooks(t *testing.T) {
	converts := &apiextensionsv1.CustomResourceDefinition{}
	converts.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Webhook: &apiextensionsv1.WebhookConversion{
		ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Path: ptr.To("/convert")}},
	}}
	plain := &apiextensionsv1.CustomResourceDefinition{}
	certificates := []string{"./manager", "--cert-dir={{ .certificates }}"}
	for name, tc := range map[string]struct {
		crd      *apiextensionsv1.CustomResourceDefinition
		webhooks string
		command  []string
		env      map[string]string
		want     bool
	}{
		"with configurations":             {plain, "webhooks.yaml", certificates, nil, true},
		"a conversion":                    {converts, "", certificates, nil, true},
		"a conversion, by a variable":     {converts, "", []string{"./manager"}, map[string]string{"CERTS": "{{.certificates}}"}, true},
		"a conversion that is off":        {converts, "", []string{"./manager", "--webhooks=false"}, nil, false},
		"no conversion":                   {plain, "", certificates, nil, false}, // the command is refused, as there is no such folder
		"neither of them":                 {plain, "", []string{"./manager"}, nil, false},
		"a conversion and configurations": {converts, "webhooks.yaml", certificates, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			given := &Given{CRD: tc.crd, Command: tc.command, Env: tc.env}
			place := Place{Profile: "mine.yaml", Webhooks: tc.webhooks}
			if got := given.servesWebhooks(place); got != tc.want {
				t.Errorf("it serves webhooks: %t, want %t", got, tc.want)
			}
			spec := v1alpha1.ProfileSpec{Serves: []v1alpha1.Served{{}}}
			if err := given.Install(&spec, place); err != nil {
				t.Fatal(err)
			}
			if got := spec.Launch.Webhook; (got != nil) != tc.want || got != nil && got.Conversion != infer.ConversionPath(tc.crd) {
				t.Errorf("launch.webhook is %+v", got)
			}
			if got := len(spec.Install.Webhooks) > 0; got != (tc.webhooks != "") {
				t.Errorf("install.webhooks is %v", spec.Install.Webhooks)
			}
		})
	}
}

// TestProgram: a program is named from the folder of the profile, unless the two have no folder
// in common.
func TestProgram(t *testing.T) {
	for given, want := range map[string]string{
		"java":               "java",
		"/bin/sh":            "/bin/sh",
		"/usr/bin/env":       "/usr/bin/env",
		"/home/me/bin/site":  "../bin/site",
		"/home/me/site/site": "./site",
		"/home/other/site":   "../../other/site",
	} {
		spec := v1alpha1.ProfileSpec{Serves: []v1alpha1.Served{{}}}
		if err := (&Given{CRD: &apiextensionsv1.CustomResourceDefinition{}, Command: []string{given}}).Install(&spec, Place{Profile: "/home/me/site/mine.yaml"}); err != nil {
			t.Fatal(err)
		}
		if got := spec.Launch.Command[0]; got != want {
			t.Errorf("%s is %s in the profile, want %s", given, got, want)
		}
	}
}

// TestFolders: so are the folders and manifests, also those that were given as they are named
// from the current folder.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	place := Place{
		Profile: "mine.yaml", CRDs: []string{"crd", filepath.Join(dir, "more")}, Directory: ".",
		Readable: []string{"/opt/venv", "../modules"},
	}
	spec := v1alpha1.ProfileSpec{Serves: []v1alpha1.Served{{}}}
	if err := (&Given{CRD: &apiextensionsv1.CustomResourceDefinition{}, Command: []string{"java"}}).Install(&spec, place); err != nil {
		t.Fatal(err)
	}
	got := slices.Concat(spec.Install.CRDs, []string{spec.Launch.Directory}, spec.Launch.Readable)
	if diff := cmp.Diff([]string{"crd", "more", ".", "/opt/venv", "../modules"}, got); diff != "" {
		t.Errorf("in the profile (-want +got):\n%s", diff)
	}
}
