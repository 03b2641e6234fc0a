package envtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/envtest/folder"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"": Version, "1.35": "v1.35.4", "v1.35": "v1.35.4", "1.35.4": "v1.35.4", "v1.35.4": "v1.35.4", Version: Version,
	} {
		if got, err := ParseVersion(text); err != nil || got != want {
			t.Errorf("ParseVersion(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"1.20", "1.3", "1.35.3", "1", "v", "vv1.35", "latest", "1.35.4.1"} {
		_, err := ParseVersion(text)
		if want := fmt.Sprintf("%q; there is: %s", text, strings.Join(Versions(), ", ")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseVersion(%q) gives %v, want %s", text, err, want)
		}
	}
}

// TestVersionsAreThoseOfTheAssets: each version that a user can ask for can be built.
func TestVersionsAreThoseOfTheAssets(t *testing.T) {
	files, err := filepath.Glob("assets/*.mod")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		required := regexp.MustCompile(`(?m)^\tk8s.io/kubernetes (\S+)$`).FindSubmatch(data)
		if required == nil {
			t.Fatalf("%s does not require k8s.io/kubernetes", file)
		}
		version := string(required[1])
		found = append(found, version)
		want := "kubernetes-" + strings.TrimPrefix(minorOf(version), "v") + ".mod"
		if version == Version {
			want = "go.mod"
		}
		if filepath.Base(file) != want {
			t.Errorf("%s has Kubernetes %s, which must be in %s", file, version, want)
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff(Versions(), found); diff != "" {
		t.Error(diff)
	}
}

// elsewhere makes an empty module the working directory, with empty caches, and returns it.
// KUBEBUILDER_ASSETS names a folder that has Kubernetes v1.35.4.
func elsewhere(t *testing.T) (module, mine string) {
	t.Helper()
	module, mine = t.TempDir(), t.TempDir()
	caches := filepath.Join(t.TempDir(), "caches [1]")
	unpackInto(t, mine, "")
	if err := os.WriteFile(filepath.Join(mine, apiServer), []byte("#!/bin/sh\necho Kubernetes v1.35.4\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"RECONFORM_ASSETS": "", "XDG_CACHE_HOME": caches, "HOME": caches, assetsVariable: mine} {
		t.Setenv(name, value)
	}
	t.Chdir(module)
	if err := os.WriteFile("go.mod", []byte("module example.com/m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return module, mine
}

// TestOtherVersions: a folder is used only for the version that its binaries have.
func TestOtherVersions(t *testing.T) {
	module, mine := elsewhere(t)
	caches, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	quiet := func(string) {}
	for asked, want := range map[string]string{"": "", "1.35": "", "1.34": "has Kubernetes v1.35.4, not v1.34.4"} {
		opts := Options{Kubernetes: asked, Progress: quiet}
		dir, err := opts.assets(t.Context())
		switch {
		case want == "" && (err != nil || !sameFile(t, dir, mine)):
			t.Errorf("Kubernetes %q: %q, %v, want %s", asked, dir, err, mine)
		case want != "" && err == nil:
			t.Errorf("Kubernetes %q: %s, want %s", asked, dir, want)
		case want != "":
			for _, part := range []string{want, "make assets KUBERNETES=1.34", "reconform assets get v1.34.4 --from", caches + " has no archive"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("Kubernetes %q: %v, want %s", asked, err, part)
				}
			}
		}
	}
	expectFailure(t, Options{Kubernetes: "1.34", AssetsDir: mine}, mine+" has Kubernetes v1.35.4, not v1.34.4")
	expectFailure(t, Options{Kubernetes: "1.20"}, `no control plane of Kubernetes "1.20"`)

	built := filepath.Join(module, "bin", "k8s", "v1.34.4")
	unpackInto(t, built, "")
	opts := Options{Kubernetes: "v1.34", Progress: quiet}
	if dir, err := opts.assets(t.Context()); err != nil || !sameFile(t, dir, built) {
		t.Errorf("%q, %v, want %s", dir, err, built)
	}
}

// TestFind: the versions that are listed are those that Start would use, and only
// folders that we made are removed.
func TestFind(t *testing.T) {
	_, mine := elsewhere(t)
	caches, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cached := filepath.Join(caches, "k8s-v1.35.4-5a5a5a5a5a5a5a5a")
	unpackInto(t, cached, "5a")
	found, err := Find(t.Context(), "v1.35.4")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].Dir != mine || found[0].Source != FromEnvironment || found[1].Dir != cached || found[1].Source != FromRelease {
		t.Fatalf("found %+v", found)
	}
	if err := found[0].Remove(); err == nil || !strings.Contains(err.Error(), "KUBEBUILDER_ASSETS") {
		t.Errorf("removing the user's folder: %v", err)
	}
	user, err := folder.Use(cached)
	if err != nil {
		t.Fatal(err)
	}
	if err := found[1].Remove(); err == nil || !strings.Contains(err.Error(), "a control plane runs from it") {
		t.Errorf("removing what is in use: %v", err)
	}
	if err := user.Close(); err != nil {
		t.Fatal(err)
	}
	if err := found[1].Remove(); err != nil {
		t.Error(err)
	}
	if found, err = Find(t.Context(), "v1.35.4"); err != nil || len(found) != 1 {
		t.Errorf("after the removal: %+v, %v", found, err)
	}
	if found, err = Find(t.Context(), Version); err != nil || len(found) != 0 {
		t.Errorf("of another version: %+v, %v", found, err)
	}
}

// TestFindOnce: a folder that KUBEBUILDER_ASSETS names, and that is one of ours as well, is
// found once: as the user's, which is not removed. `assets path` is made for that variable.
func TestFindOnce(t *testing.T) {
	module, _ := elsewhere(t)
	built := filepath.Join(module, "bin", "k8s", "v1.35.4")
	unpackInto(t, built, "")
	if err := os.WriteFile(filepath.Join(built, apiServer), []byte("#!/bin/sh\necho Kubernetes v1.35.4\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(built, link); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{built, link, filepath.Join("bin", "k8s", "v1.35.4")} {
		t.Setenv(assetsVariable, named)
		found, err := Find(t.Context(), "v1.35.4")
		if err != nil || len(found) != 1 || found[0].Source != FromEnvironment || !filepath.IsAbs(found[0].Dir) || !sameFile(t, found[0].Dir, built) {
			t.Errorf("%s: found %+v, %v; want it once, as the user's, with its whole path", named, found, err)
		}
	}
	t.Chdir(built)
	t.Setenv(assetsVariable, ".")
	if found, err := Find(t.Context(), "v1.35.4"); err != nil || len(found) != 1 {
		t.Errorf("the working directory: found %+v, %v", found, err)
	}
}
