package reconform_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recipe that make expands differently where the caches are empty works only on the
// machine of its author.
func TestRecipesNeedNoCache(t *testing.T) {
	content, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--dry-run", "VERSION=v0"}
	for _, target := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(content), -1) {
		arguments = append(arguments, target[1])
	}
	warm := runMake(t, ".", os.Environ(), arguments...)
	fresh := runMake(t, ".", freshEnvironment(t, "GOPROXY=off"), arguments...)
	if diff := cmp.Diff(warm, fresh); diff != "" {
		t.Errorf("the recipes depend on caches or on the home folder (-here +on a new machine):\n%s", diff)
	}
}

// The CRD of sample-controller is a file in a module that may not have been downloaded
// before.
func TestSampleControllerCRDWithEmptyCache(t *testing.T) {
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder, proxies, _ := strings.Cut(strings.TrimSpace(string(cache)), "\n")
	dir := t.TempDir()
	for _, name := range []string{"Makefile", "tools/go.mod", "tools/go.sum"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// What this machine has downloaded serves as the first proxy.
	proxies = "file://" + filepath.ToSlash(filepath.Join(folder, "cache", "download")) + "," + proxies
	const crd = "bin/sample-controller.crd.yaml"
	runMake(t, dir, freshEnvironment(t, "GOPROXY="+proxies), crd)
	content, err := os.ReadFile(filepath.Join(dir, crd))
	if err != nil || !bytes.Contains(content, []byte("kind: CustomResourceDefinition")) {
		t.Errorf("got %q, error %v", content, err)
	}
}

// freshEnvironment is that of a new machine: only the tools, and an empty home folder.
func freshEnvironment(t *testing.T, more ...string) []string {
	t.Helper()
	// Otherwise the module cache would be read-only, and the clean-up after the test could
	// not remove it.
	return append(more, "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir(), "GOFLAGS=-modcacherw")
}

func runMake(t *testing.T, dir string, environment []string, arguments ...string) string {
	t.Helper()
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("needs make on the PATH")
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"--no-print-directory"}, arguments...)...)
	// Variables in which an outer make passes its flags on must not reach this one.
	cmd.Dir, cmd.Env = dir, append(environment, "MAKEFLAGS=", "MAKELEVEL=", "MFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("make %s: %v\n%s%s", strings.Join(arguments, " "), err, out, &stderr)
	}
	return string(out)
}
