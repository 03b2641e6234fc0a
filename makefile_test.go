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

// The manifests of a stranger are files in a module that may not have been downloaded
// before.
func TestStrangersManifestsWithEmptyCache(t *testing.T) {
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder, proxies, _ := strings.Cut(strings.TrimSpace(string(cache)), "\n")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures/strangers/sample-controller"), os.DirFS("fixtures/strangers/sample-controller")); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("fixtures/strangers/build.sh")
	if err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(dir, "fixtures/strangers/build.sh")
	if err := os.WriteFile(build, program, 0o600); err != nil {
		t.Fatal(err)
	}
	// What this machine has downloaded serves as the first proxy.
	proxies = "file://" + filepath.ToSlash(filepath.Join(folder, "cache", "download")) + "," + proxies
	cmd := exec.CommandContext(t.Context(), "bash", build, "-m", "sample-controller")
	cmd.Env = freshEnvironment(t, "GOPROXY="+proxies)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "bin/strangers/sample-controller/crd-status-subresource.yaml"))
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
