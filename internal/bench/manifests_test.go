package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/profile"
)

// bringing is a profile like that of the tests, with manifests of its own.
func bringing(t *testing.T, manifests map[string]string) *profile.Profile {
	t.Helper()
	dir := t.TempDir()
	p, err := subjectProfile(dir, "webapps")
	if err != nil {
		t.Fatal(err)
	}
	for section, text := range manifests {
		file := filepath.Join(dir, section+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		switch section {
		case "crds":
			p.Spec.Install.CRDs = []string{file}
		case "rbac":
			p.Spec.Install.RBAC = []string{file}
		default:
			p.Spec.Install.Setup = []string{file}
		}
	}
	return p
}

func TestImplementationsAgreeOnWhatTheyBring(t *testing.T) {
	t.Parallel()
	const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {mode: fast}\n"
	one := bringing(t, map[string]string{"setup": settings})
	definition, err := os.ReadFile(crdFile(t, one))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		manifests map[string]string
		want      string
	}{
		"the same":       {map[string]string{"setup": settings}, ""},
		"other settings": {map[string]string{"setup": strings.Replace(settings, "fast", "slow", 1)}, "/v1, Kind=ConfigMap default/settings is not the same in "},
		"more settings":  {map[string]string{"setup": strings.Replace(settings, "name: settings", "name: more", 1)}, ""},
		"another schema": {
			map[string]string{"crds": strings.Replace(string(definition), "maximum: 50", "maximum: 60", 1)},
			"CustomResourceDefinition webapps.apps.kubedojo.io is not the same in ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := bench.Agree(one, bringing(t, tc.manifests)); err != nil {
				got = err.Error()
			}
			if (tc.want == "") != (got == "") || !strings.HasPrefix(got, tc.want) {
				t.Errorf("error %q, want %q", got, tc.want)
			}
		})
	}
}

func crdFile(t *testing.T, p *profile.Profile) string {
	t.Helper()
	files, err := p.CRDFiles()
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// TestRolesAreKeptApart: two Roles with the same name and different rules stay two.
func TestRolesAreKeptApart(t *testing.T) {
	t.Parallel()
	role := func(name, verb string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name +
			"}\nrules: [{apiGroups: [''], resources: [pods], verbs: [" + verb + "]}]\n"
	}
	var profiles []*profile.Profile
	for _, text := range []string{role("a", "get"), role("a", "list"), role("a", "get"), role("b", "get"), role("a", "watch")} {
		profiles = append(profiles, bringing(t, map[string]string{"rbac": text}))
	}
	bound, made, err := bench.ClusterRoles(profiles)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"reconform:a", "reconform:a:2", "reconform:a", "reconform:b", "reconform:a:3"}, bound); diff != "" {
		t.Errorf("bound (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"reconform:a", "reconform:a:2", "reconform:b", "reconform:a:3"}, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
}

func TestProfilesByNamespace(t *testing.T) {
	t.Parallel()
	sole, one, other := &profile.Profile{}, &profile.Profile{}, &profile.Profile{}
	options := &bench.Options{Profile: sole, ByScenario: map[string]*profile.Profile{"reconform-a-sh-001": one, "reconform-b-sh-001": other}}
	for namespace, want := range map[string]*profile.Profile{
		"reconform-a-sh-001": one, "reconform-a-sh-001-other": one, "reconform-b-sh-001": other,
		"reconform-a": sole, "reconform-a-sh-0012": sole, "default": sole, "": sole,
	} {
		if options.ProfileIn(namespace) != want {
			t.Errorf("%q has the wrong profile", namespace)
		}
	}
}
